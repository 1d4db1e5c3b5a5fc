import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calls } from './calls.ts';
import type { Call } from './call.ts';
import { archiveDefaults, timeouts } from './constants.ts';
import { isErrorCode } from './errors.ts';
import { addressOf, routes, type CallName, type Route } from './routes.ts';

/** Section R7 of the requirements, one line per row. */
const required = `
R7.1 GET /v1/streams|R7.2 POST /v1/stream|R7.3 PUT /v1/stream/{uid}|R7.4 DELETE /v1/stream/{uid}
R7.5 GET /v1/stream/{uid}|R7.6 POST /v1/stream/pause|R7.6 POST /v1/stream/resume|R7.7 GET /v1/stream/probe
R7.8 GET /v1/stream/preview|R7.9 GET /v1/stream/{uid}/share|R7.9 DELETE /v1/stream/{uid}/share
R7.10 GET /v1/stream/{uid}/permissions|R7.10 POST /v1/stream/{uid}/permissions|R7.11 GET /v1/stream/{uid}/logs
R7.12 GET /v1/stream/{uid}/live|R7.13 GET /v1/stream/{uid}/archive/ranges|R7.14 GET /v1/stream/{uid}/archive/stats
R7.15 GET /v1/stream/{uid}/archive/available-days|R7.16 GET /v1/stream/{uid}/archive/download
R7.17 GET /v1/stream/{uid}/archive/index.m3u8|R7.18 GET /v1/annotations|R7.18 POST /v1/annotations
R7.19 POST /v1/sign-in|R7.19 POST /v1/sign-out|R7.20 POST /v1/password/send-reset|R7.21 POST /v1/password/reset
R7.22 GET /v1/profile|R7.22 PATCH /v1/profile|R7.23 GET /v1/tokens|R7.23 POST /v1/tokens|R7.23 DELETE /v1/token/{id}
R7.24 GET /v1/sessions|R7.24 POST /v1/sessions/terminate|R7.24 DELETE /v1/session/{id}
R7.25 GET /v1/users|R7.25 POST /v1/user|R7.25 GET /v1/user/{login}|R7.25 PATCH /v1/user/{login}
R7.25 DELETE /v1/user/{login}|R7.26 POST /v1/user/{login}/block|R7.26 POST /v1/user/{login}/unblock
R7.27 GET /v1/user/{login}/permissions|R7.27 POST /v1/user/{login}/permissions|R7.28 GET /v1/user/{login}/sessions
R7.28 DELETE /v1/user/{login}/session/{id}|R7.29 GET /v1/system/health|R7.30 GET /v1/system/internal/ui/settings
R7.31 GET /v1/system/internal/ui/search|R7.32 POST /v1/system/unlock|R7.33 GET /v1/system/logs
R7.34 GET /v1/system/stats|R7.35 GET /v1/system/license|R7.35 PUT /v1/system/license
R7.36 GET /v1/system/cluster/nodes|R7.37 GET /v1/system/internal/ui/nodes|R7.38 GET /v1/system/cluster/node/{id}
R7.38 PATCH /v1/system/cluster/node/{id}|R7.38 DELETE /v1/system/cluster/node/{id}
R7.39 POST /v1/system/cluster/node/{id}/drain|R7.39 DELETE /v1/system/cluster/node/{id}/drain
R7.40 GET /v1/mosaics|R7.41 GET /v1/mosaic/{id}|R7.42 POST /v1/mosaic|R7.43 POST /v1/mosaic/{id}
R7.44 DELETE /v1/mosaic/{id}|R7.45 GET /v1/admin/stats|R7.46 GET /v1/admin/configuration
R7.46 PUT /v1/admin/configuration|R7.47 GET /v1/admin/audit-logs|R7.48 POST /v1/tunnel/start
R7.48 POST /v1/tunnel/stop|R7.48 GET /v1/tunnel/status`;

const names = Object.keys(routes) as CallName[];

test('every call of the requirements is declared at its address', () => {
  const declared = new Set(names.map((name) => `${routes[name].method} ${routes[name].path}`));
  for (const row of required.trim().split(/[|\n]/)) {
    const [id, method, path] = row.split(' ');
    assert.ok(declared.has(`${method} ${path}`), `${id} ${method} ${path}`);
  }
});

test('no two calls share an address, and each declares the parameters of its path', () => {
  const seen = new Set<string>();
  for (const name of names) {
    const { method, path } = routes[name];
    assert.ok(!seen.has(`${method} ${path}`), name);
    seen.add(`${method} ${path}`);
    const call: Call = calls[name];
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    assert.deepEqual(new Set(Object.keys(call.params?.shape ?? {})), new Set(inPath), name);
    if (call.stream) assert.ok(inPath.includes('uid'), name);
    for (const code of call.errors) assert.ok(isErrorCode(code), `${name} ${code}`);
    if (method === 'GET') assert.equal(call.body, undefined, name);
  }
});

test('[R6.9] a call that needs a license declares that in its errors, and every call on a stream’s archive needs one', () => {
  for (const name of names) {
    const call: Call = calls[name];
    if (call.needsLicense) assert.ok(call.errors.includes('LicenseExpired'), name);
    if (call.stream === 'archive') assert.ok(call.needsLicense, name);
  }
});

test('[R6.7] [R6.8] a call on a licensed feature declares that in its errors; only ending a drain decides by itself', () => {
  const deciding: CallName[] = [];
  for (const name of names) {
    const { errors, needsFeature, needsEnterprise }: Call = calls[name];
    if (needsFeature)
      assert.ok(errors.includes('LicenseExpired') && errors.includes('FeatureNotFound'), name);
    if (needsEnterprise)
      assert.ok(errors.includes('EnterpriseOnly') && errors.includes('FeatureNotFound'), name);
    if (errors.includes('FeatureNotFound') && !needsFeature && !needsEnterprise) deciding.push(name);
  }
  assert.deepEqual(deciding, ['returnClusterNode']);
});

test('a call that is not public can answer that the caller is not signed in', () => {
  for (const name of names) {
    const call: Call = calls[name];
    assert.equal(call.errors.includes('AuthorizationRequired'), call.who !== 'anyone', name);
    if (call.who === 'admin' || call.who === 'creator' || call.stream) {
      assert.ok(call.errors.includes('Forbidden'), name);
    }
  }
});

test('[R9.2] adding waits 35 s, probe and preview 60 s', () => {
  const timeoutOf = (name: CallName) => (routes[name] as Route).timeoutMs;
  assert.equal(timeoutOf('addStream'), 35_000);
  assert.equal(timeoutOf('probeStream'), 60_000);
  assert.equal(timeoutOf('previewStream'), 60_000);
  assert.ok(timeouts.defaultMs > 0);
});

test('[R9.3] the defaults of the archive', () => {
  const { downloadMaxSeconds, playlistMaxSeconds, rangesMaxSeconds, depthHours } = archiveDefaults;
  assert.deepEqual(
    [downloadMaxSeconds, playlistMaxSeconds, rangesMaxSeconds, depthHours],
    [3600, 604800, 10800, -1],
  );
});

test('addresses escape user input and omit unset parameters', () => {
  assert.equal(
    addressOf('getUser', { login: 'a/b@c' }, { x: undefined, y: ['1', 'ж'] }),
    '/v1/user/a%2Fb%40c?y=1&y=%D0%B6',
  );
});

test('[R5.5] names: no control characters, no direction overrides, trimmed', () => {
  const parse = (name: string) => calls.addStream.body.safeParse({ name, streamSource: 'demo:' });
  for (const bad of ['', '   ', 'a\0b', 'a\u202eb', 'a\nb', 'x'.repeat(201), '\ud800']) {
    assert.equal(parse(bad).success, false, JSON.stringify(bad));
  }
  assert.equal(parse('  Двор, №1 🎥 ').data?.name, 'Двор, №1 🎥');
});

test('[R5.5] logins: 1 to 64 of letters, digits, . _ - @', () => {
  const parse = (name: string) => calls.addUser.body.safeParse({ name, password: '' }).success;
  for (const good of ['a', 'A.b_c-d@e9', 'x'.repeat(64)]) assert.ok(parse(good), good);
  for (const bad of ['', 'a b', 'х', 'x'.repeat(65), 'a/b', 'a\n'])
    assert.ok(!parse(bad), JSON.stringify(bad));
});
