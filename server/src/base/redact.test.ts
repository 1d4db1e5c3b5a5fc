import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactText, redactValue } from './redact.ts';

test('addresses lose their credentials, even with an @ in the password', () => {
  assert.equal(
    redactText('at rtsp://root:p@ss@cam.local:554/live now'),
    'at rtsp://***@cam.local:554/live now',
  );
  assert.equal(redactText('http://h/x?a=1&token=abc&b=2'), 'http://h/x?a=1&token=***&b=2');
  assert.equal(redactText('Authorization: Bearer abcdefgh'), 'Authorization: Bearer ***');
  assert.equal(redactText('rtsp://cam/live?channel=1'), 'rtsp://cam/live?channel=1');
});

test('a code that lets somebody in is hidden, one that says what went wrong is not', () => {
  const error = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  assert.deepEqual(redactValue({ code: 'EHOSTUNREACH', cause: { code: 'ECONNREFUSED' }, status: 502 }), {
    code: 'EHOSTUNREACH',
    cause: { code: 'ECONNREFUSED' },
    status: 502,
  });
  const outer = new Error('no answer of rtsp://root:pw@cam/live', { cause: error });
  const text = String(redactValue(outer));
  assert.match(text, /no answer of rtsp:\/\/\*\*\*@cam[^]*Caused by: Error: connect/);
  assert.deepEqual(redactValue({ setupCode: 'A', set_up_code: 'B', resetCode: 'C', lifetimeCode: 'D' }), {
    setupCode: '***',
    set_up_code: '***',
    resetCode: '***',
    lifetimeCode: '***',
  });
});

test('members are hidden by name, at any depth', () => {
  assert.deepEqual(
    redactValue({ user: 'a', password: 'b', deep: [{ oldPassword: 'c', url: 'srt://u:p@h:1' }] }),
    {
      user: 'a',
      password: '***',
      deep: [{ oldPassword: '***', url: 'srt://***@h:1' }],
    },
  );
  assert.deepEqual(redactValue({ mustChangePassword: true }), { mustChangePassword: true });
});
