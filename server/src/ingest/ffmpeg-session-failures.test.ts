import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { parseSourceAddress } from '../dial/address.ts';
import { assertMoving, close, freePort, makeClip, serve, sessionOf, watch } from './fixtures/live-sources.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';
import { FfmpegFileSession, FfmpegSession } from './ffmpeg-session.ts';

const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
let folder = '';

before(async () => {
  folder = await makeClip();
});

after(async () => {
  await pool.dispose('the tests are over');
  await rm(folder, { recursive: true, force: true });
});

test('[R8.11] a web page instead of a stream is a ProbeError', async () => {
  const { port, server } = await serve((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Camera</title><p>Sign in');
  });
  try {
    await assert.rejects(watch(sessionOf(pool, `http://127.0.0.1:${port}/`), 1), {
      name: 'Fault',
      code: 'ProbeError',
    });
  } finally {
    close(server);
  }
});

test('[R8.11] HTTP statuses and closed ports have their codes, and messages do not contain the password', async () => {
  const { port, server } = await serve((request, response) => {
    response.writeHead(request.url === '/secret' ? 401 : 404).end();
  });
  try {
    const probe = (url: string) => watch(sessionOf(pool, url, 5000), 1);
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

test('a redirect or a playlist cannot lead to an address that the policy forbids', async () => {
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
    await assert.rejects(watch(sessionOf(pool, `http://127.0.0.1:${port}/redirect`), 1), {
      code: 'STREAM_SOURCE_ERR',
    });
    await assert.rejects(watch(sessionOf(pool, `http://127.0.0.1:${port}/files.m3u8`), 1), {
      code: 'ProbeError',
    });
    assert.deepEqual([...new Set(reached)], ['/redirect', '/files.m3u8']);
    const address = parseSourceAddress(`http://127.0.0.1:${port}/x`);
    const session = new FfmpegSession({
      address,
      pool,
      clock: systemClock,
      policy: { allowLoopback: false },
    });
    await assert.rejects(watch(session, 1), { code: 'STREAM_SOURCE_ERR' });
  } finally {
    close(server);
  }
});

test('killing a child ends its streams with a cause, and the pool continues with a new one', async () => {
  const path = join(folder, 'clip.ts');
  const own = new FfmpegPool({ clock: systemClock, log: silentLog });
  try {
    const abort = new AbortController();
    const started = Promise.withResolvers<void>();
    const sink = {
      tracks: () => {},
      sample: () => started.resolve(),
      awaiting: () => {},
      lost: () => {},
      note: () => {},
    };
    const running = new FfmpegFileSession({ path, pool: own, clock: systemClock }).run(sink, abort.signal);
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
    assertMoving(await watch(new FfmpegFileSession({ path, pool: own, clock: systemClock }), 20), [
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

test('silent sources delay neither other streams nor file access of this process, and are disconnected', async () => {
  const sockets = new Set<Socket>();
  const silent = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const waiting = Array.from({ length: 5 }, (_, index) =>
    assert.rejects(watch(sessionOf(pool, `http://127.0.0.1:${port}/${index}`, 2000), 1), {
      code: 'EHOSTUNREACH',
    }),
  );
  try {
    const path = join(folder, 'clip.ts');
    // The sixth job in the same child.
    assertMoving(await watch(new FfmpegFileSession({ path, pool, clock: systemClock }), 20), ['h264', 'aac']);
    assert.ok((await readFile(path)).length > 0);
    await Promise.all(waiting);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});
