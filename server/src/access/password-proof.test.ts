import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@vidette/contract/call';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { Sessions } from '../store/sessions.ts';
import type { UserRecord } from '../store/users.ts';
import { PasswordHasher } from './password-hash.ts';
import type { AttemptCounts } from './shared-attempts.ts';
import { PasswordProof, proofMs } from './password-proof.ts';
import { principalOf } from './principal.ts';

const call = { who: 'user', proof: 'password' } as unknown as Call;
const hasCode = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

/** A hasher without cost: the hash is the password. */
class PlainHasher extends PasswordHasher {
  override verify(password: string, hash: string | null | undefined): Promise<boolean> {
    return Promise.resolve(password === hash);
  }
}

/** Counts as the database does, without expiry. */
function countsInMemory(): AttemptCounts {
  const counts = new Map<string, number>();
  const rowOf = (count: number) => ({ count, lastMs: 0, expiresMs: Number.MAX_SAFE_INTEGER });
  return {
    of: (keys) =>
      Promise.resolve(
        new Map(keys.flatMap((key) => (counts.has(key) ? [[key, rowOf(counts.get(key) ?? 0)]] : []))),
      ),
    add: (key) => Promise.resolve(counts.set(key, (counts.get(key) ?? 0) + 1).get(key) ?? 0),
    clear: (key) => Promise.resolve(void counts.delete(key)),
  };
}

function desk() {
  const clock = new ManualClock();
  const proved: [string, number][] = [];
  const sessions = {
    noteProof: (id: string, ms: number) => Promise.resolve(void proved.push([id, ms])),
  } as unknown as Sessions;
  const authenticator = { forget: () => {} };
  const passwords = new PlainHasher();
  const proof = new PasswordProof({ sessions, authenticator, passwords, failures: countsInMemory(), clock });
  const user = { id: 1, passwordHash: 'right' } as UserRecord;
  const session = (id: string, provedMs: number) => principalOf(user, { kind: 'session', id, provedMs });
  return { clock, proof, proved, session, token: principalOf(user, { kind: 'token', id: 7 }) };
}

test('[R5.1] password confirmation is valid for ten minutes in its session; setting the clock back can shorten that, never extend it', () => {
  const { clock, proof, session, token } = desk();
  const nowMs = clock.wallMs();
  proof.requireFor(call, session('a', nowMs));
  proof.requireFor(call, session('a', nowMs - proofMs + 1));
  for (const provedMs of [nowMs - proofMs, 0, nowMs + 1]) {
    assert.throws(() => proof.requireFor(call, session('a', provedMs)), hasCode('PasswordRequired'));
  }
  assert.throws(() => proof.requireFor(call, token), hasCode('Forbidden'));
  assert.throws(() => proof.requireFor({ ...call, proof: 'session' }, token), hasCode('Forbidden'));
});

test('[R7.10] changing rights requires the password in a session, and none with an API token', () => {
  const { clock, proof, session, token } = desk();
  const nowMs = clock.wallMs();
  const rights: Call = { ...call, proof: 'rights' };
  proof.requireFor(rights, token);
  proof.requireFor(rights, session('a', nowMs - proofMs + 1));
  assert.throws(() => proof.requireFor(rights, session('a', nowMs - proofMs)), hasCode('PasswordRequired'));
});

test('[R8.12] password attempts are limited per session: a stolen session does not keep the owner from confirming', async () => {
  const { clock, proof, proved, session } = desk();
  const stolen = session('stolen', 0);
  for (let guess = 0; guess < 10; guess++) {
    await assert.rejects(proof.verify(stolen, 'wrong', 'password'), hasCode('InvalidOldPassword'));
  }
  await assert.rejects(proof.verify(stolen, 'right', 'password'), hasCode('TooManyRequests'));
  await proof.verify(session('own', 0), 'right', 'password');
  assert.deepEqual(proved, [['own', clock.wallMs()]]);
});
