import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programOf } from './user-agent.ts';

test('clients are distinguished although each claims to be the others', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  for (const [userAgent, program] of [
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'Chrome 140, Linux'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64) ${webkit} Chrome/140.0 Safari/537.36 Edg/140.0`,
      'Edge 140, Windows',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140, Linux'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) ${webkit} Version/19.0 Mobile/15E148 Safari/604.1`,
      'Safari 19, iOS',
    ],
    ['curl/8.5.0', 'curl 8'],
    ['', null],
  ] as const) {
    assert.equal(programOf(userAgent), program);
  }
});
