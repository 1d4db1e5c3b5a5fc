import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryStore } from '../store/store-fixture.ts';
import { faultOf } from './failure.ts';

test('[R15.1] a call that is not done when its front ends is told to try again, not that something is wrong', async (t) => {
  const store = await temporaryStore(t);
  await store.close();
  for (const call of [store.users.byId(1), store.users.touch(1, 1)]) {
    const error: unknown = await call.then(
      () => assert.fail('answered'),
      (reason: unknown) => reason,
    );
    const fault = faultOf(error);
    assert.equal(fault.code, 'Unavailable', String(error));
    assert.equal(fault.details['retryAfterSeconds'], 1);
  }
});
