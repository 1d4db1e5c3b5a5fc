import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { eventually } from '../base/until-fixture.ts';
import { utcMs } from './timing.ts';
import {
  assertMoving,
  close,
  ffmpeg,
  freePort,
  makeClip,
  serve,
  sessionOf,
  watch,
} from './fixtures/live-sources.ts';
import { startRtmpServer } from './fixtures/rtmp-server.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';
import { FfmpegFileSession } from './ffmpeg-session.ts';

const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
let folder = '';

before(async () => {
  folder = await makeClip();
  const list = `-f hls -hls_time 2 -hls_list_size 0 -hls_playlist_type vod ${join(folder, 'index.m3u8')}`;
  await ffmpeg(`-i ${join(folder, 'clip.ts')} -c copy ${list}`);
});

after(async () => {
  await pool.dispose('the tests are over');
  await rm(folder, { recursive: true, force: true });
});

function startLive(output: string, stdout: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
  const input = `-re -stream_loop -1 -i ${join(folder, 'clip.ts')} -c copy`;
  return spawn('nice', ['ffmpeg', '-v', 'error', '-y', ...`${input} ${output}`.split(' ')], {
    stdio: ['ignore', stdout, 'ignore'],
  });
}

/** The server at the other end is not up yet. */
const isNotUp = (error: unknown) => error instanceof Fault && error.code === 'EHOSTUNREACH';

function startLiveFrames(): ChildProcess {
  const options = '-re -f lavfi -i testsrc=size=320x240:rate=10 -c:v mjpeg -f mpjpeg -boundary_tag ffmpeg -';
  return spawn('nice', ['ffmpeg', '-v', 'error', ...options.split(' ')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

test('[R10.1] HLS over HTTP plays at its own pace, with B-frames and AAC', async () => {
  const { port, server } = await serve((request, response) => {
    createReadStream(join(folder, basename(request.url ?? '')))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  try {
    const seen = await watch(sessionOf(pool, `http://127.0.0.1:${port}/index.m3u8`), 20);
    assertMoving(seen, ['h264', 'aac']);
    assert.ok(
      seen.samples.some(({ dts, pts }) => pts > dts),
      'frames are reordered',
    );
    const times = seen.samples.map(({ trackId, dts }) => dts / (trackId === 1 ? 90 : 44.1));
    assert.ok(Math.max(...times) - utcMs(systemClock) < 1500, 'bursts do not run ahead of time');
  } finally {
    close(server);
  }
});

test('[R10.1] HTTPS goes through the checking proxy and keeps the host name', async () => {
  const key = join(folder, 'key.pem');
  const cert = join(folder, 'cert.pem');
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ${key} -out ${cert} -days 2`;
  const openssl = spawn('openssl', [...options.split(' '), '-subj', '/CN=localhost'], { stdio: 'ignore' });
  assert.equal(await new Promise((resolve) => openssl.once('exit', resolve)), 0);
  const names = new Set<unknown>();
  const server = createTlsServer(
    { key: await readFile(key), cert: await readFile(cert) },
    (request, response) => {
      names.add((request.socket as TLSSocket).servername);
      createReadStream(join(folder, basename(request.url ?? ''))).pipe(response);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, resolve));
  try {
    const { port } = server.address() as AddressInfo;
    assertMoving(await watch(sessionOf(pool, `https://localhost:${port}/index.m3u8`), 20), ['h264', 'aac']);
    assert.deepEqual([...names], ['localhost']);
  } finally {
    close(server);
  }
});

test('[R10.1] MPEG-TS over HTTP', async () => {
  const { port, server } = await serve((_request, response) => {
    const encoder = startLive('-f mpegts -', 'pipe');
    encoder.stdout?.pipe(response);
    response.once('close', () => encoder.kill('SIGKILL'));
  });
  try {
    assertMoving(await watch(sessionOf(pool, `http://127.0.0.1:${port}/live`), 10), ['h264', 'aac']);
  } finally {
    close(server);
  }
});

test('[R10.1] MPEG-TS over UDP', async () => {
  const port = await freePort('udp');
  const sender = startLive(`-f mpegts udp://127.0.0.1:${port}?pkt_size=1316`);
  try {
    assertMoving(await watch(sessionOf(pool, `udp://127.0.0.1:${port}`), 10), ['h264', 'aac']);
  } finally {
    sender.kill('SIGKILL');
  }
});

test('[R10.1] MPEG-TS over SRT', async () => {
  const port = await freePort('udp');
  const sender = startLive(`-f mpegts srt://127.0.0.1:${port}?mode=listener`);
  try {
    const seen = await eventually(() => watch(sessionOf(pool, `srt://127.0.0.1:${port}`), 10), isNotUp);
    assertMoving(seen, ['h264', 'aac']);
  } finally {
    sender.kill('SIGKILL');
  }
});

test('[R10.1] RTMP', async () => {
  const port = await freePort('tcp');
  const sender = startLive(`-bsf:a aac_adtstoasc -f flv -listen 1 rtmp://127.0.0.1:${port}/live/gate`);
  try {
    const seen = await eventually(
      () => watch(sessionOf(pool, `rtmp://127.0.0.1:${port}/live/gate`), 10),
      isNotUp,
    );
    assertMoving(seen, ['h264', 'aac']);
  } finally {
    sender.kill('SIGKILL');
  }
});

/** An MP4 file as enhanced FLV; Debian's ffmpeg is too old to write H.265 to FLV. */
async function enhancedFlv(from: string, to: string): Promise<void> {
  const { FormatContext, Packet } = await import('node-av/lib');
  const input = new FormatContext();
  assert.ok((await input.openInput(from, null, null)) >= 0 && (await input.findStreamInfo(null)) >= 0);
  const output = new FormatContext();
  output.allocOutputContext2(null, 'flv', to);
  for (const { codecpar, timeBase } of input.streams) {
    const copy = output.newStream();
    codecpar.copy(copy.codecpar);
    copy.codecpar.codecTag = 0;
    copy.timeBase = timeBase;
  }
  await output.openOutput();
  await output.writeHeader(null);
  using packet = new Packet();
  packet.alloc();
  while ((await input.readFrame(packet)) >= 0) {
    packet.rescaleTs(
      input.streams[packet.streamIndex]!.timeBase,
      output.streams[packet.streamIndex]!.timeBase,
    );
    await output.interleavedWriteFrame(packet);
  }
  await output.writeTrailer();
  await output.closeOutput();
  await input.closeInput();
}

test('[R10.1] H.265 over enhanced RTMP: it is requested, and copied', async () => {
  const [mp4, flv] = [join(folder, 'h265.mp4'), join(folder, 'h265.flv')];
  const video = '-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=15';
  await ffmpeg(`-f lavfi -i testsrc=size=320x240:rate=15 -f lavfi -i sine -t 6 ${video} -c:a aac ${mp4}`);
  await enhancedFlv(mp4, flv);
  const rtmp = await startRtmpServer(await readFile(flv));
  try {
    const seen = await watch(sessionOf(pool, `rtmp://127.0.0.1:${rtmp.port}/live/key`), 20);
    assertMoving(seen, ['h265', 'aac']);
    assert.ok(rtmp.connectCommand.includes('fourCcList') && rtmp.connectCommand.includes('hvc1'));
  } finally {
    rtmp.stop();
  }
});

test('[R10.1] the address of a single JPEG is requested once a second, with Digest authentication', async () => {
  const file = join(folder, 'still.jpg');
  await ffmpeg(`-f lavfi -i testsrc=size=320x240 -frames:v 1 ${file}`);
  const still = await readFile(file);
  const nonces = new Set<string>();
  const askedMs: number[] = [];
  const { port, server } = await serve((request, response) => {
    const authorization = request.headers.authorization ?? '';
    // Each nonce is valid for one request only, as with cameras that protect against replays.
    const nonce = /nonce="(\w+)"/.exec(authorization)?.[1] ?? '';
    if (!authorization.startsWith('Digest') || nonces.has(nonce)) {
      const fresh = `n${nonces.size}x${Math.random().toString(36).slice(2)}`;
      response
        .writeHead(401, { 'www-authenticate': `Digest realm="cam", nonce="${fresh}", stale=true` })
        .end();
      return;
    }
    nonces.add(nonce);
    askedMs.push(performance.now());
    // A single failure doesn't end the source.
    if (askedMs.length === 2) response.writeHead(500).end();
    else response.writeHead(200, { 'content-type': 'image/jpeg' }).end(still);
  });
  try {
    const { tracks, samples } = await watch(
      sessionOf(pool, `http://bob:secret@127.0.0.1:${port}/snapshot.jpg`),
      3,
    );
    assert.deepEqual(
      tracks.map((track) => [track.codec, track.kind === 'video' ? track.width : 0]),
      [['h264', 320]],
    );
    assert.ok(samples.length >= 3);
    const averageMs = ((askedMs.at(-1) ?? 0) - (askedMs[0] ?? 0)) / (askedMs.length - 1);
    assert.ok(averageMs > 500, `requested every ${averageMs} ms`);
  } finally {
    close(server);
  }
});

test('[R10.1] MJPEG over HTTP becomes H.264', async () => {
  const { port, server } = await serve((_request, response) => {
    const encoder = startLiveFrames();
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace;boundary=ffmpeg' });
    encoder.stdout?.pipe(response);
    response.once('close', () => encoder.kill('SIGKILL'));
  });
  try {
    const seen = await watch(sessionOf(pool, `http://127.0.0.1:${port}/video.cgi`), 8);
    assertMoving(seen, ['h264']);
    assert.equal(seen.tracks[0]?.kind === 'video' && seen.tracks[0].width, 320);
  } finally {
    close(server);
  }
});

test('[R10.1] MJPEG whose parts follow no standard', async () => {
  const file = join(folder, 'part.jpg');
  await ffmpeg(`-f lavfi -i testsrc=size=320x240 -frames:v 1 ${file}`);
  const jpeg = await readFile(file);
  const part = (before: string, after: string) =>
    Buffer.concat([Buffer.from(before, 'latin1'), jpeg, Buffer.from(after, 'latin1')]);
  const { length } = jpeg;
  const type = 'Content-Type: image/jpeg';
  const parts: Record<string, Buffer> = {
    '/too-long': part(`--frame\r\n${type}\r\nContent-Length: ${length + 100}\r\n\r\n`, '\r\n'),
    '/too-short': part(`--frame\r\n${type}\r\nContent-Length: ${length - 50}\r\n\r\n`, '\r\n'),
    '/zero': part(`--frame\r\n${type}\r\nContent-Length: 0\r\n\r\n`, '\r\n'),
    '/no-dashes': part(`frame\r\n${type}\r\nContent-Length: ${length}\r\n\r\n`, '\r\n'),
    '/mixed-lines': part(`--frame\n${type}\r\nContent-Length: ${length}\n\r\n`, '\n'),
    '/empty-lines': part(`\r\n\r\n--frame\r\ncontent-type:image/jpg\r\n\r\n`, '\r\n'),
    '/no-type': part(`--frame\r\nContent-Length: ${length}\r\n\r\n`, ''),
    '/bare': jpeg,
  };
  const { port, server } = await serve((request, response) => {
    const path = request.url ?? '';
    const isBare = path === '/bare';
    response.writeHead(200, { 'content-type': isBare ? 'video/x-motion-jpeg' : 'multipart/x-mixed-replace' });
    const timer = setInterval(() => response.write(parts[path]), 100);
    response.once('close', () => clearInterval(timer));
  });
  try {
    const seen = Object.keys(parts).map(async (path) => {
      const { tracks, samples } = await watch(sessionOf(pool, `http://127.0.0.1:${port}${path}`), 4);
      assert.deepEqual([path, ...tracks.map(({ codec }) => codec)], [path, 'h264']);
      assert.ok(samples.length >= 4);
    });
    await Promise.all(seen);
  } finally {
    close(server);
  }
});

test('[R10.1] single JPEG addresses that redirect, fail occasionally or send something else', async () => {
  const file = join(folder, 'still.jpg');
  await ffmpeg(`-f lavfi -i testsrc=size=320x240 -frames:v 1 ${file}`);
  const still = await readFile(file);
  let images = 0;
  let askedFor = 0;
  const { port, server } = await serve((request, response) => {
    const path = request.url ?? '';
    const send = () => response.writeHead(200, { 'content-type': 'image/jpeg' }).end(still);
    switch (path) {
      // Each image has an address that works once.
      case '/redirects':
        response.writeHead(302, { location: `/image-${++images}.jpg` }).end();
        break;
      case `/image-${images}.jpg`:
        images += 0.5;
        send();
        break;
      case '/stumbles':
        // After three failures in a row the source would count as lost.
        if (++askedFor % 3 === 1) send();
        else if (askedFor % 3 === 2) response.writeHead(404).end();
        else response.writeHead(200, { 'content-type': 'text/html' }).end('<html>busy</html>');
        break;
      case '/huge':
        response.writeHead(200, { 'content-type': 'image/jpeg' });
        response.write(still.subarray(0, 100));
        for (let megabytes = 0; megabytes < 20; megabytes++) response.write(Buffer.alloc(1 << 20, 7));
        response.end();
        break;
      default:
        response.writeHead(404).end();
    }
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await Promise.all([
      watch(sessionOf(pool, `${url}/redirects`), 3),
      watch(sessionOf(pool, `${url}/stumbles`), 3),
      assert.rejects(watch(sessionOf(pool, `${url}/huge`), 1), Fault),
    ]);
  } finally {
    close(server);
  }
});

test('[R10.1] codecs that do not fit into MP4 are transcoded: MPEG-2 video and MP2 audio', async () => {
  const path = join(folder, 'broadcast.ts');
  await ffmpeg(`-i ${join(folder, 'clip.ts')} -t 3 -r 25 -c:v mpeg2video -c:a mp2 ${path}`);
  const seen = await watch(new FfmpegFileSession({ path, pool, clock: systemClock }), 30);
  assertMoving(seen, ['h264', 'aac']);
});

test('[R10.1] announced audio that arrives late does not hold back slow video', async () => {
  const path = join(folder, 'late-audio.mp4');
  const video = '-f lavfi -i testsrc=size=160x128:rate=4:duration=40';
  const audio = '-itsoffset 20 -f lavfi -i sine=frequency=440:duration=20';
  await ffmpeg(`${video} ${audio} -c:v libx264 -preset ultrafast -g 4 -c:a aac ${path}`);
  const seen = await watch(new FfmpegFileSession({ path, pool, clock: systemClock }), 12);
  assertMoving(seen, ['h264']);
});

test('[R10.1] H.265 is copied; a change of parameters begins a new list of tracks', async () => {
  const small = join(folder, 'small.ts');
  const large = join(folder, 'large.ts');
  const both = join(folder, 'both.ts');
  const coding = '-t 2 -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=10 -f mpegts';
  await ffmpeg(`-f lavfi -i testsrc=size=160x128:rate=10 ${coding} ${small}`);
  await ffmpeg(`-f lavfi -i testsrc=size=320x256:rate=10 ${coding} ${large}`);
  await writeFile(both, Buffer.concat([await readFile(small), await readFile(large)]));
  const abort = new AbortController();
  const widths: number[] = [];
  let last = 0;
  let isKeyDue = false;
  await new FfmpegFileSession({ path: both, pool, clock: systemClock }).run(
    {
      tracks: ([track]) => {
        assert.equal(track?.codec, 'h265');
        widths.push(track?.kind === 'video' ? track.width : 0);
        isKeyDue = true;
      },
      sample: ({ isKey, dts }) => {
        assert.ok(dts > last, 'decode times increase across the change');
        last = dts;
        if (isKeyDue) assert.ok(isKey, 'new parameters begin with a key frame');
        isKeyDue = false;
        if (widths.length === 2) abort.abort();
      },
      awaiting: () => {},
      lost: () => {},
      note: () => {},
    },
    abort.signal,
  );
  assert.deepEqual(widths, [160, 320]);
});
