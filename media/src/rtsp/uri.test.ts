import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MalformedError } from '../malformed.ts';
import { parseInterleaved, parseSession } from './message.ts';
import { controlBase, parseRtspUri, resolveControl, resolveRedirect } from './uri.ts';

test('addresses: ports, IPv6, credentials removed', () => {
  assert.deepEqual(parseRtspUri('rtsp://user:pa@ss@cam/live?x=1#end'), {
    tls: false,
    host: 'cam',
    port: 554,
    requestUri: 'rtsp://cam/live?x=1',
  });
  assert.deepEqual(parseRtspUri('RTSPS://[fe80::1]:8322/'), {
    tls: true,
    host: 'fe80::1',
    port: 8322,
    requestUri: 'rtsps://[fe80::1]:8322/',
  });
  for (const text of [
    'http://cam/',
    'rtsp://',
    'rtsp://cam:0/',
    'rtsp://cam:99999/',
    `rtsp://cam/${'x'.repeat(2048)}`,
  ]) {
    assert.throws(() => parseRtspUri(text), MalformedError, text);
  }
});

test('[R10.1] RTSP over HTTP: tunnelled requests use an rtsp address with its port', () => {
  assert.deepEqual(parseRtspUri('rtsph://user:pw@cam/live?x=1'), {
    tls: false,
    host: 'cam',
    port: 80,
    requestUri: 'rtsp://cam:80/live?x=1',
    tunnel: { authority: 'cam:80', path: '/live?x=1' },
  });
  assert.deepEqual(parseRtspUri('RTSPSH://[fd00::1]?x=/a'), {
    tls: true,
    host: 'fd00::1',
    port: 443,
    requestUri: 'rtsp://[fd00::1]:443?x=/a',
    tunnel: { authority: '[fd00::1]:443', path: '/?x=/a' },
  });
  assert.equal(parseRtspUri('rtsph://cam:8080').tunnel?.path, '/');
  assert.equal(parseRtspUri('rtsps://cam/').tunnel, undefined);
});

test('[R10.1] control attributes are appended as cameras expect', () => {
  const base = 'rtsp://cam/path?channel=1';
  for (const [from, control, expected] of [
    [base, undefined, base],
    [base, '*', base],
    [base, 'trackID=1', `${base}/trackID=1`],
    [base, '/trackID=1', `${base}/trackID=1`],
    ['rtsp://cam/path/', 'trackID=1', 'rtsp://cam/path/trackID=1'],
    ['rtsp://cam/path/', '/trackID=1', 'rtsp://cam/path/trackID=1'],
    ['rtsp://cam/path', '?ctype=video', 'rtsp://cam/path?ctype=video'],
    [base, 'rtsp://user:pw@cam/other', 'rtsp://cam/other'],
  ] as const) {
    assert.equal(resolveControl(from, control), expected);
  }
});

test('[R10.1] Content-Base takes precedence over Content-Location, and that over the request', () => {
  const uri = 'rtsp://cam/a';
  assert.equal(controlBase(uri, 'rtsp://cam/b/', 'rtsp://cam/c/'), 'rtsp://cam/b/');
  assert.equal(controlBase(uri, undefined, 'rtsp://cam/c/'), 'rtsp://cam/c/');
  assert.equal(controlBase(uri, undefined, '/c/'), 'rtsp://cam/c/');
  assert.equal(controlBase(uri, 'nonsense', undefined), uri);
});

test('redirects can only lead to RTSP', () => {
  assert.equal(resolveRedirect('rtsp://cam:8554/a', '/b'), 'rtsp://cam:8554/b');
  assert.equal(resolveRedirect('rtsp://cam/a', 'rtsps://other/b'), 'rtsps://other/b');
  for (const target of ['', 'http://cam/', 'rtsph://cam/', 'file:///etc/passwd']) {
    assert.throws(() => resolveRedirect('rtsp://cam/a', target), MalformedError);
  }
});

test('Session and Transport headers', () => {
  assert.deepEqual(parseSession('12345;timeout=30'), { id: '12345', timeoutSeconds: 30 });
  assert.deepEqual(parseSession('abc ; Timeout = 0'), { id: 'abc', timeoutSeconds: 60 });
  assert.deepEqual(parseInterleaved('RTP/AVP/TCP;unicast;interleaved=4-5;ssrc=1'), { rtp: 4, rtcp: 5 });
  assert.deepEqual(parseInterleaved('RTP/AVP/TCP;interleaved=6'), { rtp: 6, rtcp: 7 });
  assert.equal(parseInterleaved('RTP/AVP/TCP;interleaved=400-401'), undefined);
});
