import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import type { Principal } from '../access/principal.ts';
import type { ArchiveReader } from '../archive/read/read.ts';
import { Fault } from '../base/fault.ts';
import { LoadLevel } from '../base/load-level.ts';
import type { Watch } from '../system/watch-log.ts';
import { RecordedFootage, type RecordedFootageOptions } from './recorded-footage.ts';

const principal = { user: { login: 'ann', isAdmin: false, canConvert: true }, by: { kind: 'token', id: 1 } };
const viewer = { principal: principal as unknown as Principal, uid: 'gate', ip: '192.0.2.1' };

function scene(reader: Partial<ArchiveReader>, options: Partial<RecordedFootageOptions> = {}) {
  const watched: Watch['mode'][] = [];
  const sessions = new Set<(code: ErrorCode) => void>();
  const footage = new RecordedFootage({
    archiveReader: reader as ArchiveReader,
    transcoding: { gop: async (_, read) => (await read(), new Uint8Array([1])) },
    watchLog: { touch: ({ mode }) => void watched.push(mode) },
    liveSessions: { addShort: ({ end }) => (sessions.add(end), () => sessions.delete(end)) },
    renderSnapshot: () => Promise.resolve(new Uint8Array([2])),
    load: new LoadLevel(),
    ...options,
  });
  return { footage, watched, sessions };
}

const frameAt = () => Promise.resolve({ timeMs: 7 } as Awaited<ReturnType<ArchiveReader['frameAt']>>);
const missing = () => Promise.reject(new Fault('NotFound', 'Nothing is recorded there.'));

test('a still that the caller already has is not encoded again, but counts as watched', async () => {
  const { footage, watched } = scene({ frameAt }, { renderSnapshot: () => assert.fail('coded again') });
  assert.deepEqual(await footage.still(viewer, 9, 320, (frameMs) => frameMs === 7), {
    timeMs: 7,
    jpeg: undefined,
  });
  assert.deepEqual(watched, ['watchStills']);
});

test('a still that could not be shown does not count as watched', async () => {
  const { footage, watched } = scene(
    { frameAt, gopAt: missing, openSegment: missing },
    { renderSnapshot: () => Promise.reject(new Error('no decoder')) },
  );
  await assert.rejects(footage.still(viewer, 9, 320, () => false));
  await assert.rejects(footage.requireGop(viewer, 9), { code: 'NotFound' });
  await assert.rejects(footage.transcodedGop(viewer, 9, new AbortController().signal), { code: 'NotFound' });
  await assert.rejects(footage.segment(viewer, '1'), { code: 'NotFound' });
  assert.deepEqual(watched, []);
});

test('[R4.4] a download ends with the right to the footage', async () => {
  async function* chunks() {
    for (;;) yield await Promise.resolve(new Uint8Array(4));
  }
  const download = { stream: chunks, contentLength: 1e9 } as unknown as Awaited<
    ReturnType<ArchiveReader['download']>
  >;
  const { footage, sessions } = scene({ download: () => Promise.resolve(download) });
  const { body } = await footage.download(viewer, 0, 1);
  const [end] = sessions;
  end?.('Forbidden');
  await assert.rejects(body.toArray(), { code: 'Forbidden' });
  assert.equal(sessions.size, 0);
});

test('days are in a time zone that this machine knows, or at an offset', async () => {
  const { footage } = scene({ recordedDays: async () => [{ day: '2026-11-01', recordedMs: 1, spanMs: 3 }] });
  assert.deepEqual(await footage.days('gate', 0, 1, 60), { days: ['2026-11-01'], shares: [0.33333] });
  await assert.rejects(footage.days('gate', 0, 1, 'Mars/Olympus'), {
    code: 'ValidationError',
    details: { fields: [{ path: 'time_zone', code: 'invalid_value' }] },
  });
});

test('[R15.4] while stills wait the archive is not read for one, and the caller learns why', async () => {
  const load = new LoadLevel();
  const { footage, watched } = scene({ frameAt: () => assert.fail('read') }, { load });
  load.set(2);
  await assert.rejects(
    footage.still(viewer, 9, 320, () => true),
    { code: 'ServerOverloaded' },
  );
  assert.deepEqual(watched, []);
});
