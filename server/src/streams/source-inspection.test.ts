import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Principal } from '../access/principal.ts';
import { addPrincipal } from '../access/user-fixture.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import { SourceInspection, type TypedSource } from './source-inspection.ts';
import type { ProbeTarget } from './source-probe.ts';

const right = { view: true, archive: false, share: false };

/** The stream `gate` with credentials, on another node; `ann` may edit it, `bob` may only view it. */
async function scene(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  const { id } = await store.streams.add(newStream('gate', { nodeId: 'north' }));
  const ann = await addPrincipal(store, 'ann', { maxStreamCreation: 0 });
  const bob = await addPrincipal(store, 'bob');
  await store.permissions.replaceOfStream(id, [
    { userId: ann.user.id, rights: { ...right, edit: true } },
    { userId: bob.user.id, rights: { ...right, edit: false } },
  ]);
  const probed: (ProbeTarget & { node: string | undefined })[] = [];
  const inspection = new SourceInspection({
    clock,
    store,
    membership: {
      likelyElsewhere: (streams) => (streams >= 2 ? 'south' : undefined),
      nodeElsewhere: (uid) => (uid === 'gate' ? 'north' : undefined),
    },
    sourceProbe: {
      report: async (node, target) => (probed.push({ ...target, node }), { transport: 'tcp', tracks: [] }),
      snapshot: async (node, target) => (probed.push({ ...target, node }), new Uint8Array([1])),
    },
  });
  const { signal } = new AbortController();
  const report = (principal: Principal, source: TypedSource, ip = '192.0.2.1') =>
    inspection.report({ principal, ip, signal }, source);
  return { store, clock, inspection, probed, report, ann, bob, signal };
}

test('[R7.7] a source can be probed by users who may add streams, or edit the stream that it is for', async (t) => {
  const { report, probed, ann, bob } = await scene(t);
  const url = 'rtsp://192.0.2.9/new';
  await assert.rejects(report(ann, { url }), { code: 'Forbidden' });
  await assert.rejects(report(bob, { url, stream_id: 'gate' }), { code: 'Forbidden' });
  await assert.rejects(report(bob, { url, stream_id: 'missing' }), { code: 'Forbidden' });
  assert.deepEqual(probed, []);
  await report(bob, { url });
  await report(ann, { url, stream_id: 'gate' });
  assert.equal(probed.length, 2);
});

test('it is probed from the node that runs the stream, or would run it, and may be on this machine only for administrators', async (t) => {
  const { store, report, probed, bob } = await scene(t);
  const admin = await addPrincipal(store, 'admin', { isAdmin: true });
  const url = 'rtsp://192.0.2.9/new';
  await report(admin, { url, stream_id: 'gate' });
  await report(bob, { url });
  await store.streams.add(newStream('yard'));
  await report(bob, { url });
  assert.deepEqual(
    probed.map(({ node, allowLoopback }) => [node, allowLoopback]),
    [
      ['north', true],
      [undefined, false],
      ['south', false],
    ],
  );
});

test('an address without credentials uses those of the edited stream only for the same host and port', async (t) => {
  const { report, probed, ann } = await scene(t);
  const credentialsOf = async (url: string) => {
    await report(ann, { url, stream_id: 'gate' });
    return probed.at(-1)?.address.credentials;
  };
  const stored = { username: 'user', password: 'pass' };
  assert.deepEqual(await credentialsOf('rtsp://cam/other'), stored);
  assert.deepEqual(await credentialsOf('rtsp://CAM:554/other'), stored);
  assert.deepEqual(await credentialsOf('rtsp://me:mine@cam/gate'), { username: 'me', password: 'mine' });
  for (const url of ['rtsp://cam:8554/gate', 'rtsp://elsewhere/gate', 'http://cam/gate'])
    assert.equal(await credentialsOf(url), undefined, url);
});

test('a user may probe 60 sources a minute, reports and snapshots together, and an address 180 for all its users', async (t) => {
  const { store, clock, report, inspection, bob, signal } = await scene(t);
  const source = { url: 'rtsp://192.0.2.9/new' };
  const caller = { principal: bob, ip: '192.0.2.1', signal };
  for (let turn = 0; turn < 30; turn++) {
    await report(bob, source);
    await inspection.snapshot(caller, source);
  }
  const tooMany = { code: 'TooManyRequests', details: { retryAfterSeconds: 60 } };
  await assert.rejects(inspection.snapshot(caller, source), tooMany);
  await assert.rejects(report(bob, source, '192.0.2.2'), tooMany);
  for (const login of ['carl', 'dora']) {
    const other = await addPrincipal(store, login);
    for (let turn = 0; turn < 60; turn++) await report(other, source);
  }
  const eve = await addPrincipal(store, 'eve');
  await assert.rejects(report(eve, source), tooMany);
  await report(eve, source, '192.0.2.2');
  clock.advance(60_000);
  await report(bob, source);
});

test('a refused address does not use up an attempt', async (t) => {
  const { report, bob, probed } = await scene(t);
  for (let turn = 0; turn < 61; turn++)
    await assert.rejects(report(bob, { url: 'file:///etc/passwd' }), { code: 'STREAM_SOURCE_ERR' });
  await report(bob, { url: 'rtsp://192.0.2.9/new' });
  assert.equal(probed.length, 1);
});
