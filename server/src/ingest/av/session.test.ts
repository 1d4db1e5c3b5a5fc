import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { createSocket } from 'node:dgram';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';
import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { silentLog } from '../../base/log.ts';
import { parseSourceAddress } from '../address.ts';
import { utcMs } from '../timing.ts';
import { AvPool } from './pool.ts';
import { AvFileSession, AvSession } from './session.ts';

const pool = new AvPool({ clock: systemClock, log: silentLog });
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-av-'));
  const source = '-f lavfi -i testsrc=size=320x240:rate=15 -f lavfi -i sine=frequency=440 -t 6';
  const coding = '-c:v libx264 -preset ultrafast -bf 2 -g 15 -c:a aac';
  await ffmpeg(`${source} ${coding} ${join(folder, 'clip.ts')}`);
  await ffmpeg(
    `-i ${join(folder, 'clip.ts')} -c copy -f hls -hls_time 2 -hls_list_size 0 -hls_playlist_type vod ${join(folder, 'index.m3u8')}`,
  );
});

after(async () => {
  await pool.dispose('the tests are over');
  await rm(folder, { recursive: true, force: true });
});

async function ffmpeg(options: string): Promise<void> {
  const child = spawn('nice', ['ffmpeg', '-v', 'error', '-y', ...options.split(' ')], { stdio: 'ignore' });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  assert.equal(code, 0, `ffmpeg ${options}`);
}

async function serve(listener: RequestListener): Promise<{ port: number; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, server };
}

function close(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** A UDP or TCP port that was free a moment ago. */
async function freePort(kind: 'tcp' | 'udp'): Promise<number> {
  if (kind === 'udp') {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const { port } = socket.address();
    await new Promise<void>((resolve) => socket.close(resolve));
    return port;
  }
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

interface Watched {
  tracks: readonly Track[];
  samples: Sample[];
}

/** Runs a session until `enough` pictures came, or rejects with what ended it before. */
async function watch(session: AvSession | AvFileSession, pictures: number): Promise<Watched> {
  const seen: Watched = { tracks: [], samples: [] };
  const abort = new AbortController();
  let count = 0;
  const cause = await session.run(
    {
      tracks: (tracks) => (seen.tracks = tracks),
      sample: (sample) => {
        seen.samples.push(sample);
        if (sample.trackId === 1 && ++count === pictures) abort.abort();
      },
      note: () => {},
    },
    abort.signal,
  );
  assert.equal(cause, 'stopped');
  return seen;
}

function sessionOf(url: string, timeoutMs = 10_000): AvSession {
  return new AvSession({
    address: parseSourceAddress(url),
    pool,
    clock: systemClock,
    policy: { allowLoopback: true, isListener: url.startsWith('udp:') },
    timeoutMs,
  });
}

function assertMoving({ tracks, samples }: Watched, codecs: readonly string[]): void {
  assert.deepEqual(
    tracks.map(({ codec }) => codec),
    codecs,
  );
  for (const track of tracks) {
    const own = samples.filter(({ trackId }) => trackId === track.id);
    assert.ok(own.length > 0, `samples of track ${track.id}`);
    own.reduce((before, sample) => {
      assert.ok(sample.dts > before.dts, 'decode times grow');
      return sample;
    });
    const first = own[0];
    if (track.kind === 'video') assert.ok(first?.isKey, 'the first picture is a key');
    const offsetMs = Math.abs(((first?.dts ?? 0) * 1000) / track.timescale - utcMs(systemClock));
    assert.ok(offsetMs < 60_000, `times are UTC: ${offsetMs}`);
  }
  const bytes = samples
    .filter(({ trackId }) => trackId === 1)
    .map(({ data }) => Buffer.concat(data).toString('base64'));
  assert.ok(new Set(bytes).size > bytes.length / 2, 'pictures differ');
}

test('[R10.1] HLS over HTTP plays at its own pace, with B-frames and AAC', async () => {
  const { port, server } = await serve((request, response) => {
    createReadStream(join(folder, basename(request.url ?? '')))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  try {
    const seen = await watch(sessionOf(`http://127.0.0.1:${port}/index.m3u8`), 20);
    assertMoving(seen, ['h264', 'aac']);
    assert.ok(
      seen.samples.some(({ dts, pts }) => pts > dts),
      'pictures are reordered',
    );
    const times = seen.samples.map(({ trackId, dts }) => dts / (trackId === 1 ? 90 : 44.1));
    assert.ok(Math.max(...times) - utcMs(systemClock) < 1500, 'bursts do not run ahead of time');
  } finally {
    close(server);
  }
});

test('[R10.1] HTTPS goes through the checked proxy and keeps the name', async () => {
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
    assertMoving(await watch(sessionOf(`https://localhost:${port}/index.m3u8`), 20), ['h264', 'aac']);
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
    assertMoving(await watch(sessionOf(`http://127.0.0.1:${port}/live`), 10), ['h264', 'aac']);
  } finally {
    close(server);
  }
});

function startLive(output: string, stdout: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
  const input = `-re -stream_loop -1 -i ${join(folder, 'clip.ts')} -c copy`;
  return spawn('nice', ['ffmpeg', '-v', 'error', '-y', ...`${input} ${output}`.split(' ')], {
    stdio: ['ignore', stdout, 'ignore'],
  });
}

test('[R10.1] MPEG-TS over UDP', async () => {
  const port = await freePort('udp');
  const sender = startLive(`-f mpegts udp://127.0.0.1:${port}?pkt_size=1316`);
  try {
    assertMoving(await watch(sessionOf(`udp://127.0.0.1:${port}`), 10), ['h264', 'aac']);
  } finally {
    sender.kill('SIGKILL');
  }
});

test('[R10.1] MPEG-TS over SRT', async () => {
  const port = await freePort('udp');
  const sender = startLive(`-f mpegts srt://127.0.0.1:${port}?mode=listener`);
  try {
    const seen = await eventually(() => watch(sessionOf(`srt://127.0.0.1:${port}`), 10));
    assertMoving(seen, ['h264', 'aac']);
  } finally {
    sender.kill('SIGKILL');
  }
});

test('[R10.1] RTMP', async () => {
  const port = await freePort('tcp');
  const sender = startLive(`-bsf:a aac_adtstoasc -f flv -listen 1 rtmp://127.0.0.1:${port}/live/gate`);
  try {
    const seen = await eventually(() => watch(sessionOf(`rtmp://127.0.0.1:${port}/live/gate`), 10));
    assertMoving(seen, ['h264', 'aac']);
  } finally {
    sender.kill('SIGKILL');
  }
});

/** Tries again while the other side's server is not up yet. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 20 || !(error instanceof Fault) || error.code !== 'EHOSTUNREACH') throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

test('[R10.1] MJPEG over HTTP becomes H.264', async () => {
  const { port, server } = await serve((_request, response) => {
    const encoder = startLivePictures();
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace;boundary=ffmpeg' });
    encoder.stdout?.pipe(response);
    response.once('close', () => encoder.kill('SIGKILL'));
  });
  try {
    const seen = await watch(sessionOf(`http://127.0.0.1:${port}/video.cgi`), 8);
    assertMoving(seen, ['h264']);
    assert.equal(seen.tracks[0]?.kind === 'video' && seen.tracks[0].width, 320);
  } finally {
    close(server);
  }
});

function startLivePictures(): ChildProcess {
  const options = '-re -f lavfi -i testsrc=size=320x240:rate=10 -c:v mjpeg -f mpjpeg -boundary_tag ffmpeg -';
  return spawn('nice', ['ffmpeg', '-v', 'error', ...options.split(' ')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

test('[R10.1] what fits no MP4 is converted: MPEG-2 video and MP2 sound', async () => {
  const path = join(folder, 'broadcast.ts');
  await ffmpeg(`-i ${join(folder, 'clip.ts')} -t 3 -r 25 -c:v mpeg2video -c:a mp2 ${path}`);
  const seen = await watch(new AvFileSession({ path, pool, clock: systemClock }), 30);
  assertMoving(seen, ['h264', 'aac']);
});

test('[R10.1] H.265 is copied; parameters that change midway begin a new list of tracks', async () => {
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
  await new AvFileSession({ path: both, pool, clock: systemClock }).run(
    {
      tracks: ([track]) => {
        assert.equal(track?.codec, 'h265');
        widths.push(track?.kind === 'video' ? track.width : 0);
        isKeyDue = true;
      },
      sample: ({ isKey, dts }) => {
        assert.ok(dts > last, 'decode times grow through the change');
        last = dts;
        if (isKeyDue) assert.ok(isKey, 'new parameters begin with a key picture');
        isKeyDue = false;
        if (widths.length === 2) abort.abort();
      },
      note: () => {},
    },
    abort.signal,
  );
  assert.deepEqual(widths, [160, 320]);
});

test('[R8.11] a web page in place of a stream is a ProbeError', async () => {
  const { port, server } = await serve((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Camera</title><p>Sign in');
  });
  try {
    await assert.rejects(watch(sessionOf(`http://127.0.0.1:${port}/`), 1), {
      name: 'Fault',
      code: 'ProbeError',
    });
  } finally {
    close(server);
  }
});

test('[R8.11] HTTP statuses and closed ports have their codes, and no word of the password', async () => {
  const { port, server } = await serve((request, response) => {
    response.writeHead(request.url === '/secret' ? 401 : 404).end();
  });
  try {
    const probe = (url: string) => watch(sessionOf(url, 5000), 1);
    await assert.rejects(probe(`http://bob:hunter2@127.0.0.1:${port}/secret`), (error: Fault) => {
      assert.equal(error.code, 'HTTP_UNAUTHORIZED');
      assert.doesNotMatch(error.message, /hunter2|bob/);
      return true;
    });
    await assert.rejects(probe(`http://127.0.0.1:${port}/none`), { code: 'HTTP_NOT_FOUND' });
    const closed = await freePort('tcp');
    await assert.rejects(probe(`http://127.0.0.1:${closed}/x`), { code: 'EHOSTUNREACH' });
    await assert.rejects(probe(`rtmp://127.0.0.1:${closed}/live/x`), { code: 'EHOSTUNREACH' });
  } finally {
    close(server);
  }
});

test('a redirect or a playlist leads nowhere that the address policy forbids', async () => {
  const reached: string[] = [];
  const { port, server } = await serve((request, response) => {
    reached.push(request.url ?? '');
    if (request.url === '/redirect')
      response.writeHead(302, { location: 'http://169.254.169.254/keys.ts' }).end();
    else {
      const lines = [
        '#EXTM3U',
        '#EXT-X-TARGETDURATION:2',
        '#EXTINF:2,',
        `file://${folder}/clip.ts`,
        '#EXT-X-ENDLIST',
      ];
      response.writeHead(200, { 'content-type': 'application/vnd.apple.mpegurl' }).end(lines.join('\n'));
    }
  });
  try {
    await assert.rejects(watch(sessionOf(`http://127.0.0.1:${port}/redirect`), 1), {
      code: 'STREAM_SOURCE_ERR',
    });
    await assert.rejects(watch(sessionOf(`http://127.0.0.1:${port}/files.m3u8`), 1), { code: 'ProbeError' });
    assert.deepEqual([...new Set(reached)], ['/redirect', '/files.m3u8']);
    const address = parseSourceAddress(`http://127.0.0.1:${port}/x`);
    const session = new AvSession({ address, pool, clock: systemClock, policy: { allowLoopback: false } });
    await assert.rejects(watch(session, 1), { code: 'STREAM_SOURCE_ERR' });
  } finally {
    close(server);
  }
});

test('a child that is killed ends its streams with a cause, and the pool goes on in a new one', async () => {
  const path = join(folder, 'clip.ts');
  const own = new AvPool({ clock: systemClock, log: silentLog });
  try {
    const abort = new AbortController();
    const started = Promise.withResolvers<void>();
    const sink = { tracks: () => {}, sample: () => started.resolve(), note: () => {} };
    const running = new AvFileSession({ path, pool: own, clock: systemClock }).run(sink, abort.signal);
    const isOver = assert.rejects(running, (error: Fault) => {
      assert.equal(error.code, 'Unavailable');
      assert.match(error.message, /SIGKILL/);
      return true;
    });
    await started.promise;
    const [pid] = own.pids;
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    await isOver;
    assertMoving(await watch(new AvFileSession({ path, pool: own, clock: systemClock }), 20), [
      'h264',
      'aac',
    ]);
    assert.notEqual(own.pids[0], pid);
  } finally {
    await own.dispose('the test is over');
    await own.dispose('twice');
    assert.deepEqual(own.pids, []);
  }
});

test('silent sources hold up neither another stream nor the files of this process, and are let go', async () => {
  const sockets = new Set<Socket>();
  const silent = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const waiting = Array.from({ length: 5 }, (_, index) =>
    assert.rejects(watch(sessionOf(`http://127.0.0.1:${port}/${index}`, 2000), 1), { code: 'EHOSTUNREACH' }),
  );
  try {
    const path = join(folder, 'clip.ts');
    // The sixth in the same child.
    assertMoving(await watch(new AvFileSession({ path, pool, clock: systemClock }), 20), ['h264', 'aac']);
    assert.ok((await readFile(path)).length > 0);
    await Promise.all(waiting);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});
