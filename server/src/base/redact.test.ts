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

test('a code that grants access is hidden, an error code is not', () => {
  const error = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  assert.deepEqual(redactValue({ code: 'EHOSTUNREACH', cause: { code: 'ECONNREFUSED' }, status: 502 }), {
    code: 'EHOSTUNREACH',
    cause: { code: 'ECONNREFUSED' },
    status: 502,
  });
  const outer = new Error('no answer from rtsp://root:pw@cam/live', { cause: error });
  const text = String(redactValue(outer));
  assert.match(text, /no answer from rtsp:\/\/\*\*\*@cam[^]*Caused by: Error: connect/);
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

test('a secret parameter is hidden anywhere in a query, with its whole value', () => {
  for (const [text, expected] of [
    ['/x?a=b;pass=c=d&e=f', '/x?a=b;pass=***&e=f'],
    ['/x?my_token_2=abc def', '/x?my_token_2=*** def'],
    ['?a&pwd=1&pwd=2;3 tail', '?a&pwd=***&pwd=*** tail'],
    ['?pass;x=1', '?pass;x=***'],
    ['?a=1?token=2', '?a=1?token=***'],
    ['name=value, pass=shown outside of a query', 'name=value, pass=shown outside of a query'],
    ['?q=1 pass=2', '?q=1 pass=2'],
    ['?key=\u0001\u0002x&b=1', '?key=***&b=1'],
    ['RTSP://u:p@h/x?Sig=1', 'RTSP://***@h/x?Sig=***'],
    ['a://b@c://d@e', 'a://***@c://***@e'],
  ] as const) {
    assert.equal(redactText(text), expected);
  }
});

test('whatever is redacted, the time is linear in the length', () => {
  const long = 1_000_000;
  for (const pump of [
    ';pass',
    '?pass',
    '&a=',
    'a',
    'a://',
    '://',
    '@',
    'a.',
    'Bearer ',
    ' ',
    '?;',
    'pass=',
  ]) {
    const text = `GET /ui/constructor?${pump.repeat(long / pump.length)}`;
    assert.ok(redactText(text).startsWith('GET /ui/constructor'));
    assert.ok(redactText(`http://${text}`).startsWith('http://'));
  }
});
