import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseChallenges } from './challenge.ts';

test('[R10.1] several challenges, in several headers or in one', () => {
  const digest = 'Digest realm="IP Camera, \\"north\\"", nonce="abc", qop="auth,auth-int", algorithm=SHA-256';
  const expected = [
    { scheme: 'basic', realm: 'x' },
    {
      scheme: 'digest',
      realm: 'IP Camera, "north"',
      nonce: 'abc',
      opaque: undefined,
      algorithm: 'SHA-256',
      qop: ['auth', 'auth-int'],
      isStale: false,
    },
  ];
  assert.deepEqual(parseChallenges(['Basic realm="x"', digest]), expected);
  assert.deepEqual(parseChallenges([`Basic realm="x", ${digest}`]), expected);
});

test('a stale nonce, an opaque value, an older server', () => {
  const [challenge] = parseChallenges(['Digest realm="r",nonce="n" , opaque="o", stale=TRUE']);
  assert.ok(challenge?.scheme === 'digest' && challenge.isStale && challenge.opaque === 'o');
  assert.deepEqual(challenge.qop, []);
  assert.equal(challenge.algorithm, undefined);
});

test('unsupported challenges are skipped', () => {
  assert.deepEqual(parseChallenges(['Negotiate abc==', 'Digest realm="no nonce"', '', ',,,', '"']), []);
});

test('any text is parsed in little time', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...'Digest Basic realm= "a\\,;= \u00e9'.split(' '), '"', ',', '='), {
        maxLength: 200,
      }),
      (parts) => {
        assert.ok(parseChallenges([parts.join('')]).length <= 16);
      },
    ),
  );
});

test('a hostile challenge of 32 kB costs no more than a long one', () => {
  for (const pump of [' ', ',', 'a', 'a ', 'a=', 'a="', '\\"', 'Digest ', 'a=b,', '"\\', '=', '\t ,']) {
    const text = `Digest realm="${pump.repeat(32_768 / pump.length)}`;
    for (const value of [text, text.replace('Digest realm="', ''), `${text}", nonce="n"`]) {
      assert.ok(parseChallenges(Array<string>(16).fill(value)).length <= 16);
    }
  }
});

test('any text is skipped or understood', () => {
  const piece = fc.constantFrom(
    'Digest',
    'Basic',
    ' ',
    ',',
    '=',
    '"',
    '\\',
    'realm',
    'nonce',
    'stale=true',
    'a',
    '\u00ff',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      for (const challenge of parseChallenges([pieces.join('')])) {
        assert.ok(challenge.scheme === 'basic' || challenge.nonce !== undefined);
      }
    }),
  );
});
