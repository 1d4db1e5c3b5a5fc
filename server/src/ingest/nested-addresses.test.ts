import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { after, before, test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { Confinement, findConfinement } from '../ffmpeg/confinement.ts';
import { close, serve, sessionOf, watch } from './fixtures/live-sources.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';

/** Accepts every TCP connection and datagram on one port of the loopback interface, and counts them. */
let listener: TcpServer;
const datagrams = createSocket('udp4');
let port = 0;
let arrivals: string[] = [];
/** Serves documents by path; `requests` contains the requests with their headers. */
let web: { port: number; server: Server };
let requests: string[] = [];
const documents = new Map([['/good', '200\nnot a segment']]);
/** Strict rules also apply where the system provides no namespaces. */
const pools = [new Confinement('none'), await findConfinement()].map(
  (confinement) => new FfmpegPool({ clock: systemClock, log: silentLog, confinement }),
);

before(async () => {
  listener = createTcpServer((socket) => {
    arrivals.push('connection');
    socket.on('data', (bytes) => arrivals.push(bytes.toString('latin1')));
    socket.on('error', () => socket.destroy());
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  ({ port } = listener.address() as AddressInfo);
  datagrams.on('message', () => arrivals.push('datagram'));
  datagrams.bind(port, '127.0.0.1');
  web = await serve((request, response) => {
    requests.push(`${request.method} ${request.url}\n${headOf(request)}`);
    if (request.url?.startsWith('/crumbs')) {
      crumbs(documents.get(request.url) ?? '', response);
      return;
    }
    const [status = '200', body = ''] = documents.get(request.url ?? '')?.split(/\n(.*)/s) ?? ['404'];
    if (request.url?.startsWith('/packed'))
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
    else if (status.startsWith('302')) response.writeHead(302, { location: body.trim() }).end();
    else response.writeHead(Number(status)).end(body);
  });
});

after(async () => {
  await Promise.all(pools.map((pool) => pool.dispose('the tests are over')));
  close(web.server);
  listener.close();
  datagrams.close();
});

/** A document whose first bytes arrive one by one. */
function crumbs(body: string, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/vnd.apple.mpegurl' });
  const send = (at: number) => {
    if (at >= 20) response.end(body.slice(at));
    else response.write(body.charAt(at), () => setImmediate(send, at + 1));
  };
  response.flushHeaders();
  send(0);
}

const headOf = (request: IncomingMessage) => request.rawHeaders.join('\n');

/** Addresses that a document may name, all of which lead to the listener or to a file. */
const forbidden = () => [
  `httpproxy://127.0.0.1:${port}/x`,
  `HTTPPROXY://127.0.0.1:${port}/x`,
  `tcp://127.0.0.1:${port}`,
  `tls://127.0.0.1:${port}`,
  `udp://127.0.0.1:${port}`,
  `rtp://127.0.0.1:${port}`,
  `srtp://127.0.0.1:${port}`,
  `srt://127.0.0.1:${port}`,
  `rtsp://127.0.0.1:${port}/x`,
  `rtmp://127.0.0.1:${port}/x/y`,
  `rtmpt://127.0.0.1:${port}/x/y`,
  `ffrtmphttp://127.0.0.1:${port}/x`,
  `ftp://127.0.0.1:${port}/x`,
  `gopher://127.0.0.1:${port}/x`,
  `mmsh://127.0.0.1:${port}/x`,
  `mmst://127.0.0.1:${port}/x`,
  `icecast://127.0.0.1:${port}/x`,
  `crypto:tcp://127.0.0.1:${port}`,
  `crypto+tcp://127.0.0.1:${port}`,
  `crypto:httpproxy://127.0.0.1:${port}/x`,
  `crypto+httpproxy://127.0.0.1:${port}/x`,
  `async:tcp://127.0.0.1:${port}`,
  `cache:tcp://127.0.0.1:${port}`,
  `concat:tcp://127.0.0.1:${port}|tcp://127.0.0.1:${port}`,
  `subfile,,start,0,end,0,,:tcp://127.0.0.1:${port}`,
  'file:///etc/passwd',
  'unix:/run/docker.sock',
];

const good = () => `http://127.0.0.1:${web.port}/good`;
const escaped = (address: string) => address.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const playlist = (lines: readonly string[]) =>
  ['200', '#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-TARGETDURATION:1', ...lines, '#EXT-X-ENDLIST'].join('\n');

const manifest = (sets: readonly string[]) =>
  `200\n<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S" profiles="urn:mpeg:dash:profile:isoff-live:2011">
<Period>${sets.join('\n')}</Period></MPD>`;

const representation = (id: number, inside: string) =>
  `<AdaptationSet mimeType="video/mp4"><Representation id="r${id}" codecs="avc1.42c01e" bandwidth="1000" width="64" height="64">
${inside}</Representation></AdaptationSet>`;

const template = (initialization: string, media: string) =>
  `<SegmentTemplate timescale="1" duration="2" startNumber="1" initialization="${escaped(initialization)}" media="${escaped(media)}"/>`;

/** Each kind of document with an address in every place where one is allowed. */
const kinds: Record<string, (addresses: readonly string[]) => string> = {
  'segments of HLS': (addresses) => playlist([...addresses, good()].flatMap((url) => ['#EXTINF:1,', url])),
  'keys of HLS': (addresses) =>
    playlist(
      [...addresses, good()].flatMap((url, index) => [
        `#EXT-X-KEY:METHOD=AES-128,URI="${url}",IV=0x${index.toString(16).padStart(32, '0')}`,
        '#EXTINF:1,',
        good(),
      ]),
    ),
  'initialization sections of HLS': (addresses) =>
    playlist([good(), ...addresses].flatMap((url) => [`#EXT-X-MAP:URI="${url}"`, '#EXTINF:1,', good()])),
  'variants of HLS': (addresses) =>
    [
      '200',
      '#EXTM3U',
      ...[good(), ...addresses].flatMap((url, index) => [`#EXT-X-STREAM-INF:BANDWIDTH=${index + 1}`, url]),
    ].join('\n'),
  'renditions of HLS': (addresses) =>
    [
      '200',
      '#EXTM3U',
      ...addresses.map((url, index) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="${index}",URI="${url}"`),
      '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"',
      good(),
    ].join('\n'),
  'base addresses of DASH': (addresses) =>
    manifest(
      (addresses.length > 0 ? addresses : [`${good()}/`]).map((url, index) =>
        representation(index, `<BaseURL>${escaped(url)}</BaseURL>${template('init.mp4', '$Number$.m4s')}`),
      ),
    ),
  'templates of DASH': (addresses) =>
    manifest(
      (addresses.length > 0 ? addresses : [good()]).map((url, index) =>
        representation(index, template(url, `${url}/$Number$.m4s`)),
      ),
    ),
  'segment lists of DASH': (addresses) =>
    manifest(
      (addresses.length > 0 ? addresses : [good()]).map((url, index) =>
        representation(
          index,
          `<SegmentList duration="2"><Initialization sourceURL="${escaped(url)}"/><SegmentURL media="${escaped(url)}"/></SegmentList>`,
        ),
      ),
    ),
};

const entities = (text: string) => text.replaceAll(/[a-z]/g, (letter) => `&#${letter.charCodeAt(0)};`);
kinds['addresses of DASH with character references'] = (addresses) =>
  manifest(
    (addresses.length > 0 ? addresses.map(entities) : [`${good()}/`]).map((url, index) =>
      representation(index, `<BaseURL>${url}</BaseURL>${template('init.mp4', '$Number$.m4s')}`),
    ),
  );
kinds['other places of DASH'] = (addresses) =>
  manifest([
    ...addresses.flatMap((url) => [
      `<Location>${escaped(url)}</Location>`,
      `<UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-iso:2014" value="${escaped(url)}"/>`,
      `<AdaptationSet xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="${escaped(url)}" xlink:actuate="onLoad"/>`,
    ]),
    representation(0, `<BaseURL>${good()}/</BaseURL>${template('init.mp4', '$Number$.m4s')}`),
  ]);
kinds['addresses of HLS without slashes or quotes'] = (addresses) =>
  [
    '200',
    '#EXTM3U',
    ...addresses.flatMap((url, index) => [
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="${index}",URI=${url}`,
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="b${index}",URI="${url.replace('://', ':')}"`,
      '#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO="a"',
      url.replace('://', ':'),
    ]),
    '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"',
    good(),
  ].join('\n');

/** Has each pool read a document as a stream until FFmpeg gives up. */
async function read(path: string): Promise<void> {
  const url = `http://127.0.0.1:${web.port}${path}`;
  await Promise.all(pools.map((pool) => assert.rejects(watch(sessionOf(pool, url, 2000), 1))));
  // As written by the proxy: FFmpeg's own requests carry a secret.
  for (const request of requests) assert.match(request, /^user-agent\nVidette$/im);
}

for (const [kind, make] of Object.entries(kinds)) {
  test(`${kind}: only HTTP through the checking proxy is opened`, async () => {
    [arrivals, requests] = [[], []];
    if (kind.includes('HLS')) {
      documents.set('/document.m3u8', make(forbidden()));
      await read('/document.m3u8');
    } else {
      // FFmpeg abandons a manifest at the first address that cannot be opened, so each manifest contains one
      // such address, and one that works.
      const lists = [[], ...forbidden().map((address) => [address])];
      for (const [index, list] of lists.entries()) documents.set(`/document${index}.mpd`, make(list));
      for (const index of lists.keys()) await read(`/document${index}.mpd`);
    }
    assert.deepEqual(arrivals, []);
    assert.ok(
      requests.filter((line) => line.startsWith('GET /good')).length >= pools.length,
      'the allowed address was requested, so the document was read',
    );
  });
}

test('a playlist sent byte by byte, and a compressed one, do not bypass the check', async () => {
  [arrivals, requests] = [[], []];
  const body = (kinds['variants of HLS'] as (addresses: readonly string[]) => string)(forbidden()).slice(4);
  documents.set('/crumbs.m3u8', body);
  documents.set('/packed.m3u8', `200\n${body}`);
  await read('/crumbs.m3u8');
  assert.ok(requests.some((line) => line.startsWith('GET /good')));
  await read('/packed.m3u8');
  assert.deepEqual(arrivals, []);
});

test('documents that list other files are not streams', async () => {
  [arrivals, requests] = [[], []];
  for (const [index, address] of forbidden().slice(0, 4).entries())
    documents.set(`/concat${index}`, `200\nffconcat version 1.0\nfile ${address}`);
  documents.set(
    '/sdp',
    `200\nv=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video ${port} RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
  );
  await Promise.all([...documents.keys()].filter((path) => /concat|sdp/.test(path)).map(read));
  assert.deepEqual(arrivals, []);
});

test('a redirect to another protocol is not followed', async () => {
  [arrivals, requests] = [[], []];
  for (const [index, address] of forbidden().entries()) documents.set(`/to${index}`, `302\n${address}`);
  await Promise.all(forbidden().map((_address, index) => read(`/to${index}`)));
  assert.deepEqual(arrivals, []);
});

/** An RTSP server that answers each request with `reply`. */
async function startRtsp(reply: (request: string, cseq: string) => string): Promise<TcpServer> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      const request = bytes.toString('latin1');
      requests.push(request);
      socket.write(reply(request, /CSeq: (\d+)/i.exec(request)?.[1] ?? '0'));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('FFmpeg follows no RTSP redirect, however it is written, and connects once', async () => {
  const statuses = [
    'RTSP/1.0 302 Found',
    'RTSP/1.0 +302 Found',
    'RTSP/1.0 0302 Found',
    'RTSP/1.0\t302 Found',
    'RTSP/1.1 301',
  ];
  for (const status of statuses) {
    [arrivals, requests] = [[], []];
    let connections = 0;
    const server = await startRtsp(
      (_request, cseq) => `${status}\r\nCSeq: ${cseq}\r\nLocation: rtsp://127.0.0.1:${port}/x\r\n\r\n`,
    );
    server.on('connection', () => connections++);
    try {
      const url = `rtsp://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
      await Promise.all(
        pools.map((pool) =>
          assert.rejects(watch(sessionOf(pool, url, 2000), 1), { code: 'ProbeError' }, status),
        ),
      );
      assert.deepEqual(arrivals, []);
      assert.equal(connections, pools.length);
    } finally {
      server.close();
    }
  }
});

test('an RTSP server cannot name another machine for its datagrams', async () => {
  [arrivals, requests] = [[], []];
  const sdp =
    'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:1\r\n';
  const server = await startRtsp((request, cseq) => {
    const head = `RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\nSession: 1\r\n`;
    if (request.startsWith('DESCRIBE'))
      return `${head}Content-Type: application/sdp\r\nContent-Length: ${sdp.length}\r\n\r\n${sdp}`;
    if (request.startsWith('SETUP') && request.includes('/TCP'))
      return `RTSP/1.0 461 No\r\nCSeq: ${cseq}\r\n\r\n`;
    const ports = /client_port=[\d-]+/.exec(request)?.[0] ?? '';
    if (request.startsWith('SETUP'))
      return `${head}Transport: RTP/AVP/UDP;unicast;${ports};source=127.0.0.1;server_port=${port}-${port}\r\n\r\n`;
    return `${head}\r\n`;
  });
  try {
    const url = `rtsp://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
    await Promise.all(pools.map((pool) => assert.rejects(watch(sessionOf(pool, url, 2000), 1))));
    assert.ok(requests.some((request) => request.startsWith('PLAY')));
    assert.deepEqual(arrivals, []);
  } finally {
    server.close();
  }
});

test('line breaks in an address inject neither header lines nor requests', async () => {
  [arrivals, requests] = [[], []];
  const breaks = ['&#13;&#10;', '&#10;', '&#xD;&#xA;', '%0d%0a'];
  const smuggled = (line: string) => [
    `http://127.0.0.1:${web.port}/a${line}X-Smuggled: 1${line}`,
    `http://127.0.0.1:${web.port}/a HTTP/1.1${line}X-Smuggled: 1${line}${line}`,
    `http://127.0.0.1:${web.port}/a HTTP/1.1${line}Host: x${line}${line}POST /smuggled HTTP/1.1${line}Host: x${line}X-Smuggled: 1${line}${line}`,
    `http://127.0.0.1:${web.port}${line}X-Smuggled: 1${line}/`,
  ];
  const addresses = [`${good()}/`, ...breaks.flatMap(smuggled)];
  for (const [index, url] of addresses.entries()) {
    const inside = `<BaseURL>${url}</BaseURL>${template('i', '$Number$')}`;
    documents.set(`/breaks${index}.mpd`, manifest([representation(0, inside)]));
    await read(`/breaks${index}.mpd`);
  }
  assert.ok(requests.some((line) => line.startsWith('GET /good')));
  // Percent-encoded characters stay encoded; none of them became a header or a request line.
  for (const request of requests) assert.doesNotMatch(request, /^X-Smuggled/im);
  assert.deepEqual(
    requests.filter((line) => !line.startsWith('GET ')),
    [],
  );
});
