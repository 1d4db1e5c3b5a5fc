import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../base/fault.ts';
import { addressWithCredentials, parseSourceAddress, shownSource, withoutAddresses } from './address.ts';

const isRefused = (error: unknown) => error instanceof Fault && error.code === 'STREAM_SOURCE_ERR';

test('credentials are split from the address and percent-decoded, a password may contain an @', () => {
  const address = parseSourceAddress('rtsp://admin:p@ss%2Fw%20d%@Cam.Local:8554/h264?channel=1#x');
  assert.equal(address.url, 'rtsp://cam.local:8554/h264?channel=1');
  assert.equal(address.credentials?.username, 'admin');
  // An invalid escape leaves the whole string as entered.
  assert.equal(address.credentials?.password, 'p@ss%2Fw%20d%');
  assert.equal(parseSourceAddress('rtsp://a:b%40c@h/').credentials?.password, 'b@c');
});

test('the redacted form shows neither user, password, path nor query', () => {
  const { redacted } = parseSourceAddress(
    'http://root:hunter2@cam/video?user=root&pwd=hunter2&size=1&access_token=hunter2',
  );
  assert.equal(redacted, 'http://cam');
  const words = captured(() => parseSourceAddress('file://root:hunter2@cam/'));
  assert.doesNotMatch(words, /hunter2/);
});

test('[R5.5] only listed schemes are sources, and not more than 2048 characters', () => {
  for (const good of [
    'rtsp://cam/1',
    'rtsps://cam/1',
    'rtsph://cam/1',
    'rtspsh://cam/1',
    'rtmp://host/app/key',
    'rtmps://host/app/key',
    'http://cam/mjpeg',
    'https://host/live.m3u8',
    'srt://host:9000?streamid=x',
    'udp://@239.1.1.1:5000',
    'udp://:5000',
    'demo:',
    'demo:gate?fps=25',
  ]) {
    assert.doesNotThrow(() => parseSourceAddress(good), good);
  }
  for (const bad of [
    'file:///etc/passwd',
    'gopher://cam/1',
    'concat:a|b',
    'exec:ls',
    'data:,x',
    'crypto+file:///x',
    'subfile,,start,0,end,0,,:/etc/passwd',
    '/etc/passwd',
    'rtsp:///path',
    'rtsp://cam:0/',
    'rtsp://cam:99999/',
    'srt://host',
    'rtsp://ca m/',
    'rtsp://cam/a b',
    'rtsp://cam/a\r\nX: y',
    'rtsp://u:p%0d%0a@cam/',
    'rtsp://[fe80::1%25eth0]/',
    'demo:../x',
    '',
    `rtsp://cam/${'a'.repeat(2048)}`,
  ]) {
    assert.throws(() => parseSourceAddress(bad), isRefused, bad);
  }
});

test('default ports belong to their scheme and are not written out', () => {
  assert.equal(parseSourceAddress('rtsp://cam:554/x').url, 'rtsp://cam/x');
  assert.equal(parseSourceAddress('rtsps://cam/x').port, 322);
  assert.equal(parseSourceAddress('rtsph://cam:80/x').url, 'rtsph://cam/x');
  assert.equal(parseSourceAddress('rtspsh://cam/x').port, 443);
  assert.equal(parseSourceAddress('rtspsh://cam/x').tls, true);
  assert.equal(parseSourceAddress('http://[::1]:8080/x').host, '::1');
  assert.equal(parseSourceAddress('http://[::1]:8080/x').url, 'http://[::1]:8080/x');
});

test('any input is either rejected with a Fault or parsed, and parsing the result again changes nothing', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 100 }),
    fc
      .tuple(
        fc.constantFrom('rtsp', 'HTTP', 'udp', 'srt', 'demo', 'file'),
        fc.string({ maxLength: 20 }),
        fc.string({ maxLength: 20 }),
        fc.string({ maxLength: 30 }),
      )
      .map(([scheme, user, host, rest]) => `${scheme}://${user}@${host}/${rest}`),
    fc.webUrl().map((url) => url.replace(/^https?/, 'rtsp')),
  );
  fc.assert(
    fc.property(text, (typed) => {
      let address;
      try {
        address = parseSourceAddress(typed);
      } catch (error) {
        assert.ok(isRefused(error), String(error));
        return;
      }
      const again = parseSourceAddress(address.url);
      assert.equal(again.url, address.url);
      assert.equal(again.host, address.host);
      assert.equal(again.credentials, undefined);
    }),
  );
});

test('credentials survive being written into an address and read again, and never appear in its other forms', () => {
  const secret = fc
    .string({ minLength: 1, maxLength: 30 })
    .filter((text) => text === text.replace(/\p{Cc}/gu, ''));
  fc.assert(
    fc.property(secret, secret, (username, password) => {
      const plain = { ...parseSourceAddress('rtsp://cam/x'), credentials: { username, password } };
      const read = parseSourceAddress(addressWithCredentials(plain));
      assert.deepEqual(read.credentials, { username, password });
      assert.equal(read.url, 'rtsp://cam/x');
      assert.equal(read.redacted, 'rtsp://cam');
    }),
  );
});

function captured(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return String(error) + JSON.stringify((error as Fault).details);
  }
  return assert.fail('nothing was thrown');
}

test('[R7.46] a user who may not edit sees scheme and host only, wherever the secrets of an address are', () => {
  for (const source of [
    'rtsp://bob:pw@Cam.example:8554/user=admin_password=X_channel=1?psw=Y#Z',
    'rtsp://cam.example/?channel=1&psw=X',
    'rtsp://a@b:c@cam.example',
  ]) {
    assert.equal(shownSource(source), 'rtsp://cam.example');
  }
  assert.equal(shownSource('rtsph://bob:pw@a.example:8080/x?psw=Y'), 'rtsph://a.example');
  assert.equal(shownSource('rtmp://a.example/live/streamkey'), 'rtmp://a.example');
  assert.equal(shownSource('srt://[fd00::1]:9000?passphrase=X'), 'srt://[fd00::1]');
  assert.equal(shownSource('udp://:5000'), 'udp://');
  // Invalid by the current rules: it does not even have a host.
  assert.equal(shownSource('rtsp://cam/pass word'), 'rtsp:');
  assert.equal(shownSource('bob:secret'), '');
  assert.equal(shownSource(''), '');
});

test('in foreign text every address is reduced to scheme and host, file URLs are not', () => {
  const text = `at file:///srv/a.ts:1 Error: open "rtmp://bob:p@ss@cam.example:1935/live/key?a=b" and http://[::1]:80/x, tcp://h`;
  assert.equal(
    withoutAddresses(text),
    'at file:///srv/a.ts:1 Error: open "rtmp://cam.example" and http://[::1] tcp://h',
  );
  assert.equal(withoutAddresses('rtsp://admin:12/34@cam'), 'rtsp://admin');
});
