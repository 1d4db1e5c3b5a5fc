import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { until } from '../base/until-fixture.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { PasswordRecovery } from './password-recovery.ts';

const typed = { email: 'ann@example.org', code: 'AAAA-AAAA', password: 'seven quiet otters 5' };
const ip = '192.0.2.1';

/** Recovery whose duration and outcome the test determines. */
function scene(work: (clock: ManualClock) => string) {
  const clock = new ManualClock();
  const recovery = new PasswordRecovery({
    passwordReset: {
      send: async () => (work(clock), 60),
      reset: async () => work(clock),
    },
    clock,
  });
  return { clock, recovery, note: newAuditNote() };
}

/** Lets a call settle; whatever its outcome, it waits until the clock advances. */
async function settle(clock: ManualClock, call: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = call.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  await until(() => clock.pendingTimers > 0, 'the wait for the next step');
  assert.equal(isOver, false);
  clock.advance(250);
  await over;
}

for (const [name, spentMs] of [
  ['an unknown address', 0],
  ['a known one', 30],
] as const) {
  test(`[R8.5] the answer to ${name} takes the same time, and the log contains the reason`, async () => {
    const { clock, recovery, note } = scene((passing) => (passing.sleep(spentMs), ''));
    let settledMs: number | undefined;
    const sent = recovery.send(typed.email, ip, note).finally(() => (settledMs = clock.monotonicMs()));
    await until(() => clock.pendingTimers > 0, 'the wait for the next step');
    clock.advance(249 - spentMs);
    await Promise.resolve();
    assert.equal(settledMs, undefined);
    clock.advance(1);
    assert.equal(await sent, 60);
    assert.deepEqual([settledMs, note.target, note.login], [250, typed.email, null]);
  });
}

test('[R8.5] a refusal takes as long as a success', async () => {
  const { clock, recovery, note } = scene(() => {
    throw new Fault('UnknownLifetimeCode', 'The code is wrong.');
  });
  const reset = recovery.reset(typed, ip, note);
  await settle(clock, reset);
  await assert.rejects(reset, { code: 'UnknownLifetimeCode' });
  assert.deepEqual([note.target, note.login], [typed.email, null]);
});

test('[R7.21] the log contains the login of the user whose password was set', async () => {
  const { clock, recovery, note } = scene(() => 'ann');
  await settle(clock, recovery.reset(typed, ip, note));
  assert.deepEqual([note.target, note.login], [typed.email, 'ann']);
});

test('work that takes longer than one step is answered at the next one', async () => {
  const { clock, recovery, note } = scene((passing) => (passing.sleep(260), 'ann'));
  let settledMs: number | undefined;
  const done = recovery.reset(typed, ip, note).finally(() => (settledMs = clock.monotonicMs()));
  await until(() => clock.pendingTimers > 0, 'the wait for the next step');
  clock.advance(240);
  await done;
  assert.equal(settledMs, 500);
});
