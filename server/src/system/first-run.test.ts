import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { UserRecord } from '../store/users.ts';
import { Lock } from './lock.ts';
import { SetupCode } from './setup-code.ts';
import type { SetupConsent } from './setup-consent.ts';

const user = { login: 'admin' } as UserRecord;

function locked() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const print = (line: string) => {
    if (line.startsWith('Set-up code')) lines.push(line);
  };
  const setupCode = new SetupCode({ clock, print });
  const lock = new Lock({ isLocked: true, setupCode, clock, print });
  const code = () => lines.at(-1)?.replace('Set-up code: ', '') ?? '';
  return { clock, lines, lock, code };
}

const hasCode = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

test('[R8.13] the set-up code is printed, and again when it is renewed after its lifetime', async () => {
  const { clock, lines, lock, code } = locked();
  const first = code();
  assert.match(lines[0] ?? '', /^Set-up code: [A-Z0-9]{4}-[A-Z0-9]{4}$/);
  clock.advance(30 * 60_000);
  assert.equal(lines.length, 2);
  await assert.rejects(
    lock.unlock(first, () => Promise.resolve(user)),
    hasCode('UnknownLifetimeCode'),
  );
  await lock.unlock(code(), () => Promise.resolve(user));
  assert.equal(lock.isLocked, false);
  assert.equal(clock.pendingTimers, 0);
});

test('[R8.13] no code is LifetimeCodeRequired; five wrong ones renew it', async () => {
  const { lines, lock, code } = locked();
  const first = code();
  await assert.rejects(
    lock.unlock(' ', () => Promise.resolve(user)),
    hasCode('LifetimeCodeRequired'),
  );
  for (let attempt = 0; attempt < 5; attempt++) {
    await assert.rejects(
      lock.unlock('WRONG', () => Promise.resolve(user)),
      hasCode('UnknownLifetimeCode'),
    );
  }
  assert.equal(lines.length, 2);
  assert.notEqual(code(), first);
});

test('[R7.32] of two callers with the code one becomes the administrator', async () => {
  const { lock, code } = locked();
  const held = code();
  let made = 0;
  const make = async () => {
    made++;
    await Promise.resolve();
    return user;
  };
  const results = await Promise.allSettled([lock.unlock(held, make), lock.unlock(held, make)]);
  assert.deepEqual(results.map((result) => result.status).sort(), ['fulfilled', 'rejected']);
  assert.equal(made, 1);
  await assert.rejects(lock.unlock(held, make), hasCode('ActionNotAcceptable'));
});

test('a failed setup leaves the server locked and its code valid', async () => {
  const { lock, code } = locked();
  await assert.rejects(
    lock.unlock(code(), () => Promise.reject(new Fault('PasswordIsNotComplexEnough', ''))),
  );
  assert.equal(lock.isLocked, true);
  await lock.unlock(code(), () => Promise.resolve(user));
});

test('[R8.13] if the archive belonged to another installation, no code is created until the console allows it, for one setup', async () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  let isGiven = false;
  const consent = {
    get isGiven() {
      return isGiven;
    },
    end: async () => {
      isGiven = false;
    },
  } as unknown as SetupConsent;
  const setupCode = new SetupCode({ clock, print });
  const lock = new Lock({ isLocked: true, setupCode, consent, clock, print });
  assert.equal(lock.isSetupAllowed, false);
  assert.match(lines.join('\n'), /allow-setup/);
  assert.ok(!lines.some((line) => line.startsWith('Set-up code')));
  for (const code of ['', 'AAAA-AAAA']) {
    await assert.rejects(
      lock.unlock(code, () => Promise.resolve(user)),
      hasCode('SetupNotAllowed'),
    );
  }
  isGiven = true;
  clock.advance(1_000);
  assert.equal(lock.isSetupAllowed, true);
  const code = lines.find((line) => line.startsWith('Set-up code'))?.replace('Set-up code: ', '') ?? '';
  await lock.unlock(code, () => Promise.resolve(user));
  assert.equal(isGiven, false);
  assert.equal(clock.pendingTimers, 0);
});
