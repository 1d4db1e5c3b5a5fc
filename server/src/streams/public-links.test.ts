import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { addPrincipal } from '../access/user-fixture.ts';
import { Fault } from '../base/fault.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import type { AuditEvent } from '../system/audit-event.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { PublicLinks } from './public-links.ts';

const ip = '192.0.2.1';

async function scene(t: TestContext) {
  const store = await temporaryStore(t);
  const by = await addPrincipal(store, 'ann');
  await store.streams.add(newStream('gate'));
  const events: AuditEvent[] = [];
  const noted: string[] = [];
  const reviewed: string[] = [];
  const links = new PublicLinks({
    store,
    audit: { add: (event) => void events.push(event) },
    streamService: { noteRights: (uids) => void noted.push(...uids) },
    sharedViewers: { review: (uid) => void reviewed.push(uid) },
  });
  const stream = async () => (await store.streams.byUid('gate')) ?? assert.fail('the stream is gone');
  const create = async () => links.get(await stream(), { by, ip, confirm: () => {} });
  return { store, by, links, stream, create, events, noted, reviewed };
}

test('[R7.9] a link is created only on request, once, and recorded with its creator', async (t) => {
  const { links, stream, create, events, noted } = await scene(t);
  await assert.rejects(links.get(await stream(), undefined), { code: 'NotFound' });
  const { key, isEmbeddable } = await create();
  assert.match(key, /^[\w-]{43}$/);
  assert.equal(isEmbeddable, false);
  assert.deepEqual(await create(), { key, isEmbeddable });
  assert.deepEqual(await links.get(await stream(), undefined), { key, isEmbeddable });
  assert.deepEqual(events, [
    {
      login: 'ann',
      ip,
      action: 'getStreamShare',
      target: 'gate',
      outcome: 'ok',
      details: { changes: { isPublic: [false, true] } },
    },
  ]);
  assert.deepEqual(noted, ['gate']);
});

test('an unconfirmed request creates nothing; an existing link needs no confirmation', async (t) => {
  const { links, by, stream, create, events } = await scene(t);
  const confirm = () => {
    throw new Fault('Forbidden', 'Another site sent this.');
  };
  await assert.rejects(links.get(await stream(), { by, ip, confirm }), { code: 'Forbidden' });
  assert.equal((await stream()).shareKey, null);
  assert.deepEqual(events, []);
  const { key } = await create();
  assert.equal((await links.get(await stream(), { by, ip, confirm })).key, key);
});

test('two users who create a link simultaneously get the same one', async (t) => {
  const { links, by, stream } = await scene(t);
  const seen = await stream();
  const confirm = () => {};
  const [one, other] = await Promise.all([
    links.get(seen, { by, ip, confirm }),
    links.get(seen, { by, ip, confirm }),
  ]);
  assert.equal(one.key, other.key);
  assert.equal((await stream()).shareKey, one.key);
});

test('[R10.5] other sites may show a link if its owner allows it, and the change is recorded', async (t) => {
  const { links, stream, create } = await scene(t);
  const note = newAuditNote();
  await assert.rejects(links.setEmbeddable(await stream(), true, note), { code: 'NotFound' });
  const { key } = await create();
  assert.deepEqual(await links.setEmbeddable(await stream(), true, note), { key, isEmbeddable: true });
  assert.deepEqual(note.details, { changes: { isEmbeddable: [false, true] } });
  assert.equal((await links.get(await stream(), undefined)).isEmbeddable, true);
  await links.setEmbeddable(await stream(), true, note);
  assert.deepEqual(note.details, { changes: {} });
});

test('[R7.9] revoking a link disconnects its viewers and removes its permission; the next one has another key', async (t) => {
  const { store, links, stream, create, noted, reviewed } = await scene(t);
  const { key } = await create();
  await links.setEmbeddable(await stream(), true, newAuditNote());
  const note = newAuditNote();
  await links.revoke(await stream(), note);
  assert.deepEqual(note.details, { changes: { isPublic: [true, false] } });
  assert.equal(await store.streams.byShareKey(key), undefined);
  assert.deepEqual([noted, reviewed], [['gate', 'gate'], ['gate']]);
  await links.revoke(await stream(), note);
  assert.deepEqual(note.details, { changes: {} });
  const next = await create();
  assert.notEqual(next.key, key);
  assert.equal(next.isEmbeddable, false);
});
