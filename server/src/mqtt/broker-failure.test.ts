import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrokerFailure, connectFailureOf, failureOf } from './broker-failure.ts';

const withCode = (code: string | number) => Object.assign(new Error('failed'), { code });

test('[R11.13] a failure names what an administrator can change', () => {
  const connecting = (code: string | number, url = 'mqtts://broker') =>
    connectFailureOf(withCode(code), url).problem;
  assert.deepEqual(
    [134, 135, 138, 136].map((code) => connecting(code)),
    ['broker-credentials', 'broker-credentials', 'broker-refused', 'broker-refused'],
  );
  assert.equal(connecting('ECONNREFUSED'), 'unreachable');
  assert.equal(connecting('CERT_HAS_EXPIRED'), 'tls');
  assert.equal(connecting('CERT_HAS_EXPIRED', 'mqtt://broker'), 'reset');
  assert.equal(connecting('ECONNRESET'), 'reset');
  assert.equal(failureOf(withCode(135), 'mqtts').problem, 'broker-refused', 'a topic that is not allowed');
  const known = new BrokerFailure('timeout', 'too slow');
  assert.equal(failureOf(known, 'mqtts'), known);
});
