import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzzer.ts';

/** The full twenty thousand requests, with memory growth, are in `npm run bench fuzz`. */
test('[R5.5, R7.55, R8.1] no request results in a 500 or an answer outside the OpenAPI document', async () => {
  const report = await fuzz({ count: 880, seed: 20_261_121, memoryOf: () => 0 });
  assert.deepEqual(report.failures, []);
  assert.deepEqual(report.errorLines, []);
  assert.equal(report.requests, 880);
  // If everything were refused, the test would prove nothing.
  assert.ok(report.succeeded.size > report.calls / 3, [...report.succeeded].join(' '));
  assert.ok((report.statuses.get(400) ?? 0) > 100);
});
