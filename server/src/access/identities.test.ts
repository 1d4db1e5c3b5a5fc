import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestStore } from '../store/store-fixture.ts';
import { Identities } from './identities.ts';
import { newUser } from '../store/user-fixture.ts';

const userWith = (login: string, email: string) => newUser(login, { email });

test('[R10.8] of two users who claim one name on two nodes simultaneously, as a login and as an e-mail, one gets it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-names-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const store = await openTestStore(folder);
  t.after(() => store.close());
  // Each node has its own.
  const nodes = [new Identities(store.users), new Identities(store.users)] as const;
  for (let round = 1; round <= 10; round++) {
    const name = `guard${round}@example.org`;
    const outcomes = await Promise.allSettled([
      nodes[0].acquire(undefined, { login: name, email: `a${round}@x.org` }, (users) =>
        users.add(userWith(name, `a${round}@x.org`)),
      ),
      nodes[1].acquire(undefined, { login: `b${round}`, email: name }, (users) =>
        users.add(userWith(`b${round}`, name)),
      ),
    ]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 1, `round ${round}`);
    assert.equal((refused[0] as PromiseRejectedResult).reason.code, 'AlreadyUsed');
    assert.equal((await nodes[0].candidates(name)).length, 1);
  }
});
