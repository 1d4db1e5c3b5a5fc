import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { temporaryStore } from '../store/store-fixture.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { NodeInvitations } from './node-invitations.ts';

const url = 'postgres://db/vidette';

async function scene(
  t: TestContext,
  { database = url as string | null, address = 'https://north:8443' } = {},
) {
  const store = await temporaryStore(t);
  await store.nodes.register('north', '1.0.0', 1);
  const byId = store.nodes.byId.bind(store.nodes);
  t.mock.method(store.nodes, 'byId', async (id: string) => {
    const node = await byId(id);
    return node && { ...node, address };
  });
  const open = new Map([['first', null as string | null]]);
  const view = (id: string, by: string | null) => ({ id, createdMs: 1, by, untilMs: 900_001 });
  const invitations = new NodeInvitations({
    config: { database },
    store,
    membership: { id: 'north' },
    invitations: {
      open: async () => [...open].map(([id, by]) => view(id, by)),
      async make(login) {
        open.set('second', login);
        return { ...view('second', login), code: 'secret code' };
      },
      withdraw: async (id) => open.delete(id),
    },
  });
  return { invitations, open };
}

test('a new invitation is returned with its code and the address for joining, and the log contains only its id', async (t) => {
  const { invitations } = await scene(t);
  const note = newAuditNote();
  assert.deepEqual(await invitations.add('ann', note), {
    id: 'second',
    createdTime: 1,
    createdBy: 'ann',
    expiresTime: 900_001,
    code: 'secret code',
    address: 'https://north:8443',
  });
  assert.equal(note.target, 'second');
  assert.doesNotMatch(JSON.stringify(note), /secret code/);
});

test('the list shows who created each invitation, and never a code', async (t) => {
  const { invitations } = await scene(t);
  await invitations.add('ann', newAuditNote());
  assert.deepEqual(await invitations.list(), {
    items: [
      { id: 'first', createdTime: 1, createdBy: null, expiresTime: 900_001 },
      { id: 'second', createdTime: 1, createdBy: 'ann', expiresTime: 900_001 },
    ],
    address: 'https://north:8443',
  });
});

test('a server without a shared database creates no invitations, and its list has no address', async (t) => {
  const { invitations, open } = await scene(t, { database: null });
  const note = newAuditNote();
  await assert.rejects(invitations.add('ann', note), { code: 'ActionNotAcceptable' });
  assert.deepEqual([note.target, open.size], [null, 1]);
  assert.equal((await invitations.list()).address, null);
});

test('an invitation that was used, has expired or was revoked is not found', async (t) => {
  const { invitations } = await scene(t);
  await invitations.remove('first');
  await assert.rejects(invitations.remove('first'), { code: 'NotFound' });
  assert.deepEqual((await invitations.list()).items, []);
});
