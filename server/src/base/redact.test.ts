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
