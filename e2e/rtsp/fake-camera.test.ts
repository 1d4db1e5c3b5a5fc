import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sampleNals } from '@vidette/media/codec/nal';
import type { ErrorCode } from '@vidette/contract/errors';
import { Fault } from '../../server/src/base/fault.ts';
import { until } from '../../server/src/base/until-fixture.ts';
import { freePort } from '../sshd.ts';
import { startFakeCamera, type FakeCamera, type FakeCameraOptions } from './fake-camera.ts';
import { encodeClip, type CameraClip } from './fake-media.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { RtspSession, type SourceMemory } from '../../server/src/ingest/rtsp/session.ts';
import {
  listen,
  loopbackDial,
  ofTrack,
  type Heard,
  type ListenOptions,
  type Listening,
} from './listening.ts';

const credentials = { username: 'admin', password: 'p"a\\ss: word' };
const user = { user: credentials.username, password: credentials.password };

let clip: CameraClip;
let otherClip: CameraClip;
let h265Clip: CameraClip;

before(async () => {
  clip = await encodeClip();
  otherClip = await encodeClip({ width: 480, height: 270 });
  h265Clip = await encodeClip({ codec: 'h265' });
});

/** Runs a session against a camera that exists as long as the call. */
async function against(
  options: Omit<FakeCameraOptions, 'clip'> & { clip?: CameraClip },
  session: Partial<ListenOptions>,
  until: (heard: Heard) => boolean,
): Promise<Listening & { camera: FakeCamera }> {
  const camera = await startFakeCamera({ clip, paceMs: 10, ...options });
  try {
    return { ...(await listen({ url: camera.url, ...session }, until)), camera };
  } finally {
    await camera.stop();
  }
}

function faultWith(code: ErrorCode, words: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, code);
    assert.match(error.message, words);
    return true;
  };
}

const frames = (count: number) => (heard: Heard) => heard.samples.length >= count;

/** Asserts that decode times increase, and every video sample contains the data of the clip. */
function assertSame(heard: Heard, source: CameraClip, from = 0): void {
  let last = 0;
  ofTrack(heard, 1).forEach((sample, index) => {
    assert.ok(sample.dts > last, 'decode times grow');
    last = sample.dts;
    const expected = source.frames[(from + index) % source.frames.length];
    assert.deepEqual(
      sampleNals(sample.data).map((nal) => Buffer.from(nal).toString('base64')),
      expected?.nals.map((nal) => Buffer.from(nal).toString('base64')),
    );
    assert.equal(sample.isKey, expected?.isKey);
    assert.equal(
      sample.size,
      sample.data.reduce((sum, slice) => sum + slice.length, 0),
    );
  });
}

function damagedAmong(heard: Heard): number[] {
  return heard.samples.flatMap((sample, index) => (sample.isDamaged ? [index] : []));
}

describe('sign-in', () => {
  for (const auth of [
    { scheme: 'basic', ...user },
    { scheme: 'digest', algorithms: ['MD5'], ...user },
    { scheme: 'digest', algorithms: ['MD5'], hasQop: true, ...user },
    { scheme: 'digest', algorithms: ['MD5', 'SHA-256'], hasQop: true, ...user },
    { scheme: 'digest', algorithms: ['SHA-256'], hasQop: true, nonceUses: 1, ...user },
  ] as const) {
    test(`[R10.1] ${JSON.stringify({ ...auth, user: undefined, password: undefined })}`, async () => {
      const heard = await against({ auth }, { credentials }, frames(3));
      assert.equal(heard.cause, 'stopped');
      assertSame(heard, clip);
      const answers = heard.camera.requests.flatMap(({ headers }) =>
        headers.filter(([name]) => name === 'authorization').map(([, value]) => value),
      );
      assert.ok(answers.length > 0);
      if (auth.scheme === 'digest' && auth.algorithms.includes('SHA-256' as never)) {
        assert.ok(
          answers.every((answer) => answer.includes('algorithm=SHA-256')),
          'the stronger one is taken',
        );
      }
    });
  }

  for (const scheme of ['basic', 'digest'] as const) {
    test(`[R10.1] a camera that closes the connection with its 401: ${scheme}`, async () => {
      const auth = { scheme, ...user };
      const heard = await against({ auth, closesAfterRefusal: true }, { credentials }, frames(3));
      assertSame(heard, clip);
      assert.equal(heard.camera.connections, 2);
    });
  }

  test('[R8.11] a wrong password on connections that are closed with the 401 is not retried endlessly', async () => {
    const auth = { scheme: 'digest', ...user } as const;
    const camera = await startFakeCamera({ clip, auth, closesAfterRefusal: true });
    await assert.rejects(
      listen({ url: camera.url, credentials: { username: 'admin', password: 'wrong' } }, () => false),
      faultWith('HTTP_UNAUTHORIZED', /user name or password/),
    );
    assert.ok(camera.connections <= 3, `${camera.connections} connections`);
    await camera.stop();
  });

  test('[R8.11] a wrong password, or none, is HTTP_UNAUTHORIZED, after a few requests at most', async () => {
    for (const given of [{ username: 'admin', password: 'wrong' }, undefined]) {
      const camera = await startFakeCamera({ clip, auth: { scheme: 'digest', ...user } });
      await assert.rejects(
        listen({ url: camera.url, ...(given ? { credentials: given } : {}) }, () => false),
        faultWith('HTTP_UNAUTHORIZED', /user name or password/),
      );
      assert.ok(camera.requests.length <= 4);
      await camera.stop();
    }
  });

  test('the password is not sent to another host by Basic after a redirect', async () => {
    const target = await startFakeCamera({ clip, auth: { scheme: 'basic', ...user } });
    const camera = await startFakeCamera({ clip, redirectTo: target.url.replace('127.0.0.1', 'localhost') });
    await assert.rejects(
      listen({ url: camera.url, credentials }, () => false),
      faultWith('HTTP_UNAUTHORIZED', /user name or password/),
    );
    assert.ok(target.requests.every(({ headers }) => headers.every(([name]) => name !== 'authorization')));
    await Promise.all([camera.stop(), target.stop()]);
  });
});

/** Pseudo-random bytes, the same every time: like an encrypted stream. */
const scrambled = (seed: number) => createHash('sha512').update(`picture ${seed}`).digest();

describe('payload types', () => {
  test('[R10.1] another type than announced is accepted if it is the video', async () => {
    const heard = await against({ payloadType: () => 101 }, {}, frames(30));
    assertSame(heard, clip);
    assert.ok(heard.notes.some((note) => /payload type 101/.test(note)));
  });

  test('[R10.1] a type that changes midway is followed after a pause, and back again', async () => {
    const payloadType = (frame: number) => (frame >= 20 && frame < 300 ? 97 : 96);
    const heard = await against({ payloadType }, {}, (now) =>
      now.notes.some((note) => /payload type 96/.test(note)),
    );
    assert.ok(heard.samples.length > 40);
    assert.equal(heard.tracks.length, 1);
  });

  test('a companion of the announced type, such as forward error correction, is ignored', async () => {
    for (const companionType of [33, 97]) {
      const heard = await against({ companionType }, {}, frames(30));
      assertSame(heard, clip);
      assert.equal(heard.lostPackets, 0);
      assert.deepEqual(damagedAmong(heard), []);
    }
  });

  test('data that is not video is not mistaken for it', async () => {
    const noise = {
      ...clip,
      frames: clip.frames.map((one, index) => ({ ...one, nals: [scrambled(index)] })),
    };
    let [awaited, declared] = [0, 0];
    const camera = await startFakeCamera({ clip: noise, paceMs: 5, payloadType: () => 98 });
    const stop = new AbortController();
    const session = new RtspSession({ clock: systemClock, dial: loopbackDial, url: camera.url });
    const sink = {
      tracks: () => declared++,
      sample() {},
      awaiting: () => awaited++,
      lost() {},
      note() {},
    };
    const running = session.run(sink, stop.signal);
    await until(() => camera.frames >= 200);
    stop.abort();
    await running;
    await camera.stop();
    assert.equal(declared, 0);
    assert.ok(awaited < 20, `${awaited} frames were found in noise`);
  });
});

/** The same section with a second format, as announced by a camera that may switch. */
const listsBoth = (sdp: string) =>
  sdp.replace('RTP/AVP 96', 'RTP/AVP 96 97').replace('a=fmtp:96', 'a=rtpmap:97 H265/90000\r\na=fmtp:96');

describe('a camera that changes its codec', () => {
  test('[R10.1] a listed type that replaces the announced one midway loses no frame, there and back', async () => {
    const payloadType = (frame: number) => (frame >= 20 && frame < 40 ? 97 : 96);
    const change = { at: 20, until: 40, clip: h265Clip };
    const heard = await against({ payloadType, change, describes: listsBoth }, {}, frames(60));
    assert.deepEqual(
      heard.tracks.map((tracks) => tracks.map(({ codec }) => codec)),
      [['h264'], ['h265'], ['h264']],
    );
    assertSame({ ...heard, samples: heard.samples.slice(0, 20) }, clip);
    assertSame({ ...heard, samples: heard.samples.slice(20, 40) }, h265Clip);
    assertSame({ ...heard, samples: heard.samples.slice(40) }, clip);
    heard.samples.reduce((before, sample) => {
      assert.ok(sample.dts > before.dts, 'decode times grow across the codecs');
      return sample;
    });
  });

  test('two listed types that are sent alternately do not replace each other', async () => {
    const heard = await against({ companionType: 97, describes: listsBoth }, {}, frames(60));
    assertSame(heard, clip);
    assert.equal(heard.tracks.length, 1);
    assert.ok(heard.notes.filter((note) => /payload type/.test(note)).length <= 2, heard.notes.join());
  });
});

describe('interleaved channels', () => {
  for (const firstChannel of [60, 254]) {
    test(`[R10.1] ${firstChannel} and ${firstChannel + 1}`, async () => {
      assertSame(await against({ firstChannel }, {}, frames(20)), clip);
    });
  }

  test('[R10.1] others than in the answer to SETUP: the requested ones', async () => {
    assertSame(await against({ namedChannel: 8 }, {}, frames(20)), clip);
  });

  test('[R10.1] one that was never set up does not affect the others', async () => {
    for (const foreignChannel of [4, 30, 200]) {
      const heard = await against({ foreignChannel }, {}, frames(20));
      assertSame(heard, clip);
      assert.deepEqual(damagedAmong(heard), []);
    }
  });
});

describe('tracks', () => {
  test('[R10.1] if the first of two video tracks sends nothing, the other is tried', async () => {
    const silent = 'm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:trackID=9\r\n';
    const describes = (sdp: string) => sdp.replace('m=video', `${silent}m=video`);
    const memory = { videoTurn: 0 };
    const first = await against({ describes, frames: 5, goodbyeAfter: 5 }, { memory }, () => false);
    assert.equal(first.samples.length, 0);
    assert.equal(memory.videoTurn, 1);
    assertSame(await against({ describes }, { memory }, frames(5)), clip);
    assert.equal(memory.videoTurn, 1);
  });

  test('an ONVIF back channel is not taken for the audio of the camera', async () => {
    const describes = (sdp: string) => `${sdp}m=audio 0 RTP/AVP 0\r\na=control:trackID=3\r\na=sendonly\r\n`;
    const heard = await against({ describes }, {}, frames(3));
    assert.ok(heard.camera.requests.every(({ uri }) => !uri.endsWith('trackID=3')));
  });

  test('a camera that supports key frame requests is sent one when a key frame is missing', async () => {
    const describes = (sdp: string) => sdp.replace('a=fmtp:96', 'a=rtcp-fb:96 nack pli\r\na=fmtp:96');
    const heard = await against({ describes, keysOnRequest: true }, {}, frames(3));
    assert.equal(heard.samples[0]?.isKey, true);
  });
});

describe('addresses', () => {
  for (const control of ['relative', 'absolute', 'missing'] as const) {
    test(`[R10.1] control attributes: ${control}`, async () => {
      const heard = await against({ control }, {}, frames(2));
      const setup = heard.camera.requests.find(({ method }) => method === 'SETUP');
      const { url } = heard.camera;
      assert.equal(setup?.uri, control === 'missing' ? url : `${url}/trackID=0`);
      assert.equal(heard.camera.requests.filter(({ method }) => method === 'SETUP').length, 1);
    });
  }

  test('[R10.1] Content-Base', async () => {
    const heard = await against({ contentBase: (origin) => `${origin}/other/place/` }, {}, frames(2));
    const setup = heard.camera.requests.find(({ method }) => method === 'SETUP');
    assert.match(setup?.uri ?? '', /\/other\/place\/trackID=0$/);
  });

  test('[R10.1] redirects are followed through the dialler, up to a limit', async () => {
    const target = await startFakeCamera({ clip, paceMs: 10 });
    const heard = await against({ redirectTo: target.url }, {}, frames(2));
    assert.equal(heard.camera.connections, 1);
    assert.equal(target.connections, 1);
    await target.stop();
    const loop = await startFakeCamera({ clip, redirectTo: '/round/and/round' });
    await assert.rejects(
      listen({ url: loop.url }, () => false),
      faultWith('STREAM_SOURCE_ERR', /redirects in a loop/),
    );
    await loop.stop();
  });
});

describe('what cannot be received', () => {
  test('[R8.11] an HTML page', async () => {
    const camera = await startFakeCamera({ clip, html: '<html><body>Welcome</body></html>' });
    await assert.rejects(
      listen({ url: camera.url }, () => false),
      faultWith('ProbeError', /RTSP/),
    );
    await camera.stop();
  });

  test('[R8.11] a path that does not exist', async () => {
    const camera = await startFakeCamera({ clip, status: { DESCRIBE: 404 } });
    await assert.rejects(
      listen({ url: camera.url }, () => false),
      faultWith('HTTP_NOT_FOUND', /path/),
    );
    await camera.stop();
  });

  test('[R8.11] a closed port', async () => {
    const camera = await startFakeCamera({ clip });
    await camera.stop();
    await assert.rejects(
      listen({ url: camera.url }, () => false),
      faultWith('EHOSTUNREACH', /refused/),
    );
  });

  test('[R8.11] a reply that never comes, within the time limit', async () => {
    const camera = await startFakeCamera({ clip, ignores: 'DESCRIBE' });
    const session = { url: camera.url, replyTimeoutMs: 200 };
    await assert.rejects(
      listen(session, () => false),
      faultWith('EHOSTUNREACH', /did not answer/),
    );
    await camera.stop();
  });

  test('a connection that breaks while it plays', async () => {
    const camera = await startFakeCamera({ clip, paceMs: 10, dropAfter: 5 });
    await assert.rejects(
      listen({ url: camera.url }, () => false),
      faultWith('EHOSTUNREACH', /closed the connection/),
    );
    await camera.stop();
  });
});

describe('while it plays', () => {
  test('[R10.1] parameter sets in the description, in the stream, or both', async () => {
    for (const parameters of ['described', 'in-band', 'both'] as const) {
      const heard = await against({ parameters }, {}, frames(12));
      assertSame(heard, clip);
      assert.equal(heard.tracks.length, 1);
      assert.deepEqual(
        heard.tracks[0]?.map((track) => track.kind === 'video' && [track.width, track.height]),
        [[320, 180]],
      );
    }
  });

  test('[R10.1] parameter sets that change midway begin a new track at the key frame', async () => {
    const heard = await against(
      { change: { at: 7, clip: otherClip }, parameters: 'in-band' },
      {},
      (now) => now.samples.length >= 12,
    );
    assert.equal(heard.tracks.length, 2);
    const [track] = heard.tracks[1] ?? [];
    assert.ok(track?.kind === 'video' && track.width === 480);
    assert.ok(heard.samples[7]?.isKey);
    assert.ok(heard.samples.every((sample) => !sample.isDamaged));
  });

  test('[R10.1] chunks split anywhere, channels chosen by the server, early packets, a wrong CSeq', async () => {
    const heard = await against(
      { pieceBytes: 7, firstChannel: 6, startsEarly: true, cseqOffset: 1000 },
      {},
      frames(6),
    );
    assertSame(heard, clip);
  });

  test('[R10.1] lost packets are counted, and only the frames they hit are damaged', async () => {
    const large = await encodeClip({ width: 640, height: 360, slices: 4 });
    const loses = (frame: number, position: number) => frame === 3 && position === 1;
    const heard = await against({ clip: large, loses }, {}, frames(12));
    assert.deepEqual(damagedAmong(heard), [3]);
    assert.equal(heard.samples.length, 12);
    assert.equal(heard.lostPackets, 1);
    assert.ok(
      heard.notes.some((note) => note.includes('1 lost packets')),
      heard.notes.join(),
    );
  });

  test('[R10.1] after a completely lost frame the next one is marked, unless it is a key frame', async () => {
    const loses = (frame: number) => frame === 3 || frame === 9;
    const heard = await against({ loses }, {}, frames(12));
    assert.deepEqual(damagedAmong(heard), [3]);
    assert.ok(heard.samples[8]?.isKey);
  });

  test('[R10.1] timestamps that wrap around continue evenly', async () => {
    const heard = await against({ firstTimestamp: 2 ** 32 - 4 * 4500, paceMs: 50 }, {}, frames(10));
    // The delay of a frame on a busy machine is followed in steps of one percent.
    heard.samples.slice(1).forEach((sample, index) => {
      const step = sample.dts - (heard.samples[index]?.dts ?? 0);
      assert.ok(Math.abs(step - 4500) <= 45, `${step}`);
    });
  });

  test('[R10.1] a jump of the timestamps restarts at the time of arrival', async () => {
    for (const ticks of [90_000 * 3600, -90_000 * 3600]) {
      const heard = await against({ jump: { at: 5, ticks } }, {}, frames(10));
      const [first] = heard.samples;
      const last = heard.samples.at(-1);
      assert.ok(first && last && last.dts > first.dts && last.dts - first.dts < 90_000 * 30);
      heard.samples
        .slice(1)
        .forEach((sample, index) => assert.ok(sample.dts > (heard.samples[index]?.dts ?? 0)));
    }
  });

  test('[R10.1] a second track that never sends delays no reader, and is not announced', async () => {
    const heard = await against(
      { audio: 'never' },
      { transcodeAudio: () => ({ write: () => true, close() {} }) },
      frames(20),
    );
    assertSame(heard, clip);
    assert.deepEqual(
      heard.tracks.map((tracks) => tracks.map(({ kind }) => kind)),
      [['video']],
    );
  });

  test('[R10.1] the end of a frame is detected without markers, and with a marker on every packet', async () => {
    const sliced = await encodeClip({ slices: 4 });
    for (const markers of ['none', 'all'] as const) {
      const heard = await against(
        { clip: sliced, markers, parameters: 'described' },
        {},
        (now) => now.samples.length >= 8,
      );
      const whole = heard.samples.slice(markers === 'all' ? 1 : 0);
      assert.ok(whole.every((sample) => sampleNals(sample.data).length === 4));
    }
  });

  test('[R10.1] the goodbye of the sender ends the session', async () => {
    const camera = await startFakeCamera({ clip, paceMs: 10, goodbyeAfter: 3 });
    const heard = await listen({ url: camera.url }, () => false);
    assert.equal(heard.cause, 'ended');
    while (camera.requests.at(-1)?.method !== 'TEARDOWN') await setImmediate();
    await camera.stop();
  });

  for (const [methods, expected] of [
    ['OPTIONS, GET_PARAMETER', 'GET_PARAMETER'],
    ['OPTIONS, PLAY', 'OPTIONS'],
  ] as const) {
    test(`[R10.1] keep-alive by ${expected} if the server announces ${methods}`, async () => {
      const camera = await startFakeCamera({ clip, methods, timeoutSeconds: 1 });
      const afterPlay = () => camera.requests.slice(4);
      await listen({ url: camera.url }, () => afterPlay().some(({ method }) => method === expected));
      const alive = afterPlay().find(({ method }) => method === expected);
      assert.equal(alive?.headers.find(([name]) => name === 'session')?.[1], 'fake123');
      await camera.stop();
    });
  }

  test('[R10.1] a camera that sent frames is not asked for its methods again, until an attempt fails', async () => {
    const memory: SourceMemory = { videoTurn: 0 };
    const camera = await startFakeCamera({ clip, paceMs: 10, methods: 'GET_PARAMETER', timeoutSeconds: 1 });
    const run = async (url: string, until: (heard: Heard) => boolean) => {
      const from = camera.requests.length;
      await listen({ url, memory }, until);
      // That of the run before may come late, or not at all: the connection ends with it.
      const methods = camera.requests.slice(from).map(({ method }) => method);
      return methods.filter((method) => method !== 'TEARDOWN');
    };
    assert.deepEqual((await run(camera.url, frames(3))).slice(0, 2), ['OPTIONS', 'DESCRIBE']);
    const isKeptAlive = () => camera.requests.at(-1)?.method === 'GET_PARAMETER';
    const again = await run(camera.url, isKeptAlive);
    assert.equal(again[0], 'DESCRIBE');
    assert.equal(again.includes('OPTIONS'), false, again.join(' '));
    await assert.rejects(run(`rtsp://127.0.0.1:${await freePort()}/`, () => false));
    assert.equal((await run(camera.url, frames(3)))[0], 'OPTIONS');
    await camera.stop();
  });

  test('[R10.1] 405, 451, 454, 501 or nothing for GET_PARAMETER: OPTIONS keeps the session alive, within its timeout', async () => {
    // The session ends 5 s after the last OPTIONS; a reply is waited for twice as long.
    const expects = { method: 'OPTIONS', withinMs: 5_000 };
    const refusals = [405, 451, 454, 501].map((status) => ({ status: { GET_PARAMETER: status } }));
    const kept = async (answers: Partial<FakeCameraOptions>) => {
      const camera = await startFakeCamera({
        clip,
        methods: 'GET_PARAMETER',
        timeoutSeconds: 5,
        expects,
        ...answers,
      });
      const heard = await listen({ url: camera.url }, () => {
        const asked = camera.requests.slice(4).map(({ method }) => method);
        return asked.filter((method) => method === 'OPTIONS').length >= 2;
      });
      assert.equal(heard.cause, 'stopped');
      assert.equal(camera.connections, 1);
      await camera.stop();
    };
    await Promise.all([...refusals, { ignores: 'GET_PARAMETER' }].map(kept));
  });

  test('[R10.1] unusual session headers and RTP-Info headers, or none', async () => {
    for (const session of [
      'x;timeout=0',
      'x',
      'x; timeout = 5',
      'x;timeout=banana;y',
      'x;timeout=999999999',
    ]) {
      const heard = await against({ session }, {}, frames(3));
      assertSame(heard, clip);
      const play = heard.camera.requests.find(({ method }) => method === 'PLAY');
      assert.equal(play?.headers.find(([header]) => header === 'session')?.[1], 'x');
    }
    for (const info of [
      'url=;seq=1;rtptime=5',
      'nonsense',
      'url=rtsp://a/b;seq=99999999;rtptime=-1',
      ',,,;;;',
    ]) {
      assertSame(await against({ playHeaders: [`RTP-Info: ${info}`] }, {}, frames(3)), clip);
    }
  });

  test('a camera that no longer sends or answers is detected; one that only never answers is kept', async () => {
    const silent = { clip, methods: 'GET_PARAMETER', ignores: 'GET_PARAMETER', timeoutSeconds: 1 };
    const dead = await startFakeCamera({ ...silent, stallAfter: 3 });
    const rude = await startFakeCamera(silent);
    // Longer than a busy machine takes for the replies that do arrive, and shorter than the 2 s until the next request, which is
    // OPTIONS and would be answered.
    const session = { replyTimeoutMs: 1_500 };
    const secondsHeard = (heard: Heard) =>
      ((heard.samples.at(-1)?.dts ?? 0) - (heard.samples[0]?.dts ?? 0)) / 90_000;
    const [, kept] = await Promise.all([
      assert.rejects(
        listen({ url: dead.url, ...session }, () => false),
        faultWith('EHOSTUNREACH', /did not answer/),
      ),
      listen({ url: rude.url, ...session }, (heard) => secondsHeard(heard) > 4.5),
    ]);
    assert.equal(kept.cause, 'stopped');
    await Promise.all([dead.stop(), rude.stop()]);
  });
});
