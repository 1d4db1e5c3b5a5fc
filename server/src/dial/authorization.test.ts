import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Authorization } from './authorization.ts';

const credentials = { username: 'Mufasa', password: 'Circle of Life' };

function fieldsOf(answer: string | undefined): Map<string, string> {
  assert.ok(answer !== undefined && answer.startsWith('Digest '));
  return new Map(
    [...answer.matchAll(/([a-z]+)="?([^",]*)"?/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

test('[R10.1] an older server: Digest without qop (RFC 2617)', () => {
  const authorization = new Authorization({ credentials, allowBasic: true });
  assert.equal(authorization.header('DESCRIBE', 'rtsp://cam/'), undefined);
  assert.ok(authorization.challenged(['Digest realm="r", nonce="n"'], true));
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const expected = md5(`${md5('Mufasa:r:Circle of Life')}:n:${md5('DESCRIBE:rtsp://cam/')}`);
  assert.equal(fieldsOf(authorization.header('DESCRIBE', 'rtsp://cam/')).get('response'), expected);
});

test('[R10.1] SHA-256 with qop, an incremented count and another cnonce each time (RFC 7616)', () => {
  const authorization = new Authorization({ credentials, allowBasic: true });
  const challenge = 'realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf", opaque="FQhe"';
  assert.ok(
    authorization.challenged(
      [`Digest ${challenge}, algorithm=MD5, Digest ${challenge}, algorithm=SHA-256`],
      true,
    ),
  );
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');
  const cnonces = new Set<string | undefined>();
  for (const count of ['00000001', '00000002']) {
    const fields = fieldsOf(authorization.header('PLAY', '/x'));
    assert.equal(fields.get('nc'), count);
    assert.equal(fields.get('algorithm'), 'SHA-256');
    assert.equal(fields.get('opaque'), 'FQhe');
    const a1 = sha('Mufasa:http-auth@example.org:Circle of Life');
    const expected = sha(`${a1}:7ypf:${count}:${fields.get('cnonce')}:auth:${sha('PLAY:/x')}`);
    assert.equal(fields.get('response'), expected);
    cnonces.add(fields.get('cnonce'));
  }
  assert.equal(cnonces.size, 2);
});

test('a rejection is distinguished from a stale nonce', () => {
  const authorization = new Authorization({ credentials, allowBasic: true });
  assert.ok(authorization.challenged(['Digest realm="r", nonce="1"'], true));
  assert.ok(authorization.challenged(['Digest realm="r", nonce="1", stale=true'], false));
  assert.ok(authorization.challenged(['Digest realm="r", nonce="2"'], false));
  assert.ok(!authorization.challenged(['Digest realm="r", nonce="2"'], false));
});

test('Basic is answered only where it is allowed, and Digest takes precedence', () => {
  const open = new Authorization({ credentials, allowBasic: true });
  assert.ok(open.challenged(['Basic realm="r"'], true));
  assert.equal(open.header('PLAY', '/'), `Basic ${Buffer.from('Mufasa:Circle of Life').toString('base64')}`);
  assert.ok(!open.challenged(['Basic realm="r"'], false));
  assert.ok(open.challenged(['Basic realm="r"', 'Digest realm="r", nonce="n"'], true));
  assert.match(open.header('PLAY', '/') ?? '', /^Digest /);
  const closed = new Authorization({ credentials, allowBasic: false });
  assert.ok(!closed.challenged(['Basic realm="r"'], true));
});

test('no authorization without credentials, none for an unknown algorithm', () => {
  assert.ok(
    !new Authorization({ credentials: undefined, allowBasic: true }).challenged(['Basic realm="r"'], true),
  );
  const authorization = new Authorization({ credentials, allowBasic: true });
  assert.ok(!authorization.challenged(['Digest realm="r", nonce="n", algorithm=SHA-9'], true));
});
