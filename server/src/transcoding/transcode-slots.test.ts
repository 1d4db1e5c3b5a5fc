import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { TranscodeSlots } from './transcode-slots.ts';

const isFull = (error: unknown) => error instanceof Fault && error.code === 'QuotaReached';

test('two requests every twenty seconds don’t block other viewers; a viewer who keeps playing keeps the slot', () => {
  const clock = new ManualClock();
  const slots = new TranscodeSlots(clock, () => 2);
  const ask = (name: string) => slots.take(name, true)();
  ask('first');
  ask('second');
  assert.throws(() => slots.take('third', true), isFull, 'both have just been used');
  clock.advance(4_000);
  // The first keeps playing, GOP by GOP; the second has made one request.
  ask('first');
  ask('third');
  assert.equal(slots.taken, 2);
  assert.throws(() => slots.take('second', true), isFull);
  for (let gop = 0; gop < 10; gop++) {
    clock.advance(2_000);
    ask('first');
    ask('third');
    assert.throws(() => slots.take('second', true), isFull);
  }
  // A slot in use is never taken away.
  const [leaveFirst, leaveThird] = [slots.take('first', false), slots.take('third', false)];
  clock.advance(60_000);
  assert.throws(() => slots.take('second', true), isFull);
  leaveFirst();
  leaveThird();
  ask('second');
  slots.clear();
});
