import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { limits } from '@vidette/contract/constants';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { DeliveryTarget } from '../store/notification-targets.ts';
import type { Recipient, Message } from './channel.ts';
import { NotificationStills, type StillTicket } from './notification-stills.ts';
import { PushChannel } from './push-channel.ts';
import { PushBrowser, startPushService, vapidClaims, type PushService } from './push-fixture.ts';
import { isPushPoint, pushKeysOf } from './push-keys.ts';

const secret = randomBytes(32);
const keys = pushKeysOf(secret);
const stills = new NotificationStills({
  secret,
  clock: systemClock,
  render: () => Promise.resolve(undefined),
});
const channel = new PushChannel({
  clock: systemClock,
  keys,
  stills,
  publicUrl: () => 'https://cams.example.org',
});
const reader: Recipient = { login: 'anna', language: 'en', isAdmin: true };

let service: PushService;
let browser: PushBrowser;
let target: DeliveryTarget;

before(async () => {
  service = await startPushService();
  setDefaultCACertificates([...getCACertificates('default'), service.certificate]);
  browser = new PushBrowser(`${service.url}anna`);
  target = {
    ...{ id: 3, userId: 7, name: 'Phone', settings: browser.settings, createdMs: 1, secret: undefined },
    ...{ acceptedMs: null, failingMs: null, failures: 0, retryMs: 0, failure: null, dropped: 0, waiting: 0 },
    ...{ deviceKey: 'x', sessionId: null },
  };
});

after(() => service.stop());

const startMs = 1_795_255_200_000;

function message(
  members: { note?: string; rule?: string; stream?: string | null; name?: string } = {},
): Message {
  const { note = '', rule = 'Yard at night', stream = 'k3m9x2q7w5ab', name = 'Yard' } = members;
  const event = { id: 9, kind: 'motion', stream, startMs, endMs: null, note, code: null } as const;
  const payload = { rule: { id: 7, name: rule }, event, suppressed: 0 };
  const delivery = { id: 1, targetId: 3, key: 'r7-e9-t3', payload, createdMs: startMs, refusals: 0 };
  return { delivery, streamName: name };
}

/** What the browser reads of the newest request. */
function newest() {
  const push = service.received.at(-1) ?? assert.fail();
  return { ...push, message: browser.read(push.body) };
}

test('[R11.10] a notification reaches the browser encrypted, signed, with a still and the moment that it opens', async () => {
  service.answer = { status: 201 };
  assert.deepEqual(await channel.send(target, reader, [message()]), { isAccepted: true });
  const { path, headers, message: shown } = newest();
  assert.equal(path, '/send/anna');
  assert.deepEqual(
    [headers['content-encoding'], headers.ttl, headers['urgency']],
    ['aes128gcm', '86400', 'high'],
  );
  const claims = vapidClaims(String(headers.authorization));
  assert.deepEqual(
    [claims.aud, claims.sub, claims.key],
    [new URL(service.url).origin, 'https://cams.example.org', keys.publicKey],
  );
  const hours = (claims.exp * 1_000 - Date.now()) / 3_600_000;
  assert.ok(hours > 0 && hours <= 24, 'RFC 8292 allows 24 hours');
  const { image, ...rest } = shown;
  assert.match(image ?? '', /^\/v1\/notification-still\/[\w-]{60,400}$/);
  assert.deepEqual(rest, {
    title: 'Yard: motion',
    body: 'Rule: Yard at night',
    language: 'en',
    timeMs: startMs,
    tag: 'rule-7-k3m9x2q7w5ab',
    path: `/ui/stream/k3m9x2q7w5ab/view?t=${startMs}`,
  });
  assert.throws(() => new PushBrowser('https://x.example/').read(newest().body), 'no other browser reads it');
});

test('[R11.10] what has gathered is one notification, in the language of the user', async () => {
  await channel.send(target, { ...reader, language: 'ru' }, [
    message(),
    message(),
    message({ name: 'Двор' }),
  ]);
  assert.equal(newest().message.title, 'Двор: движение');
  assert.equal(newest().message.body, 'Правило: Yard at night\nИ ещё 2.');
  await channel.send(target, reader, [message({ stream: null })]);
  assert.deepEqual([newest().message.path, newest().message.image], ['/ui/', null]);
});

test('[R11.10] the longest texts of any characters fit what every push service accepts', async () => {
  for (const letter of ['x', '\u{1f600}', '\u0001']) {
    const long = { note: letter.repeat(1_000), name: letter.repeat(100), rule: letter.repeat(100) };
    await channel.send(target, reader, [message(long)]);
    const { body, message: shown } = newest();
    assert.ok(body.length <= 4_096, `${letter}: ${body.length} bytes`);
    assert.ok(shown.title.isWellFormed() && shown.body.isWellFormed());
    assert.ok(shown.body.endsWith('…'));
  }
});

test('[R11.10] a subscription that ended is removed; what else a push service refuses is tried again or given up', async () => {
  const answers = async (status: number, headers?: Record<string, string>) => {
    service.answer = { status, ...(headers && { headers }) };
    const result = await channel.send(target, reader, [message()]);
    return result.isAccepted ? result : { ...result, failure: result.failure.code };
  };
  for (const status of [404, 410]) {
    assert.deepEqual(await answers(status), {
      ...{ isAccepted: false, failure: 'gone', isRefusal: true, isGone: true },
    });
  }
  assert.deepEqual(await answers(413), { isAccepted: false, failure: 'status', isRefusal: true });
  assert.deepEqual(await answers(429, { 'retry-after': '90' }), {
    ...{ isAccepted: false, failure: 'status', isRefusal: false, retryAfterMs: 90_000 },
  });
  assert.deepEqual(await answers(500), { isAccepted: false, failure: 'status', isRefusal: false });
  assert.deepEqual(await answers(201), { isAccepted: true });
});

test('[R11.10] a push service is on the Internet: neither this machine nor a private network is contacted', async () => {
  const at = async (endpoint: string, isAdmin: boolean) => {
    const settings = { ...browser.settings, endpoint };
    const result = await channel.test({ ...target, settings }, { ...reader, isAdmin });
    return result.isAccepted ? 'accepted' : result.failure.code;
  };
  assert.equal(await at(service.url, true), 'accepted');
  assert.equal(await at(service.url, false), 'address-forbidden');
  for (const host of [
    '10.1.2.3',
    '192.168.1.9',
    '172.31.0.1',
    '100.64.0.1',
    '[fd12::1]',
    '[::ffff:10.0.0.1]',
  ]) {
    assert.equal(await at(`https://${host}/`, true), 'address-forbidden', host);
  }
});

test('[R11.10] during its quiet hours a browser gets nothing, by the clock of its zone', () => {
  const held = (from: string, to: string, time: string) => {
    const quietHours = { timeZone: 'Europe/Berlin', from, to };
    return channel.holds({ ...target, settings: { ...browser.settings, quietHours } }, Date.parse(time));
  };
  assert.equal(held('23:00', '07:00', '2026-11-23T21:59:59Z'), false);
  assert.equal(held('23:00', '07:00', '2026-11-23T22:00:00Z'), true);
  assert.equal(held('23:00', '07:00', '2026-11-24T05:59:59Z'), true);
  assert.equal(held('23:00', '07:00', '2026-11-24T06:00:00Z'), false);
  assert.equal(held('23:00', '07:00', '2026-07-23T05:00:00Z'), false, 'summer time');
  assert.equal(held('02:30', '03:00', '2026-10-25T00:45:00Z'), true, 'the hour that is repeated');
  assert.equal(held('02:30', '03:00', '2026-10-25T01:45:00Z'), true, 'counts twice');
  assert.equal(channel.holds(target, 0), false, 'without quiet hours');
});

test('[R11.10] the address of a still opens that frame for 15 minutes, and nothing else', async () => {
  const clock = new ManualClock();
  const rendered: StillTicket[] = [];
  const frame = Uint8Array.of(1, 2, 3);
  let isAllowed = true;
  const render = (ticket: StillTicket) => {
    rendered.push(ticket);
    return Promise.resolve(isAllowed ? frame : undefined);
  };
  const own = new NotificationStills({ secret, clock, render });
  const ticket = { userId: 7, uid: 'k3m9x2q7w5ab', timeMs: startMs };
  const key = own.pathOf(ticket).split('/').at(-1) ?? '';
  assert.equal(await own.open(key), frame);
  assert.deepEqual(rendered, [ticket]);
  const isRefused = (tried: string) =>
    assert.rejects(own.open(tried), (error) => error instanceof Fault && error.code === 'NotFound');
  isAllowed = false;
  await isRefused(key);
  isAllowed = true;
  const changed = Buffer.from(key, 'base64url');
  changed[20] = (changed[20] ?? 0) ^ 1;
  await isRefused(changed.toString('base64url'));
  await isRefused('x');
  await isRefused(
    new NotificationStills({ secret: randomBytes(32), clock, render }).pathOf(ticket).slice(23),
  );
  clock.advance(15 * 60_000 - 1);
  assert.equal(await own.open(key), frame);
  clock.advance(1);
  await isRefused(key);
  assert.ok(own.pathOf({ ...ticket, uid: 'x'.repeat(64) }).length < limits.sourceMaxLength);
});

test('the keys follow from the server’s secret, and a key that is no point is recognised', () => {
  assert.deepEqual(pushKeysOf(secret), keys);
  assert.notEqual(pushKeysOf(randomBytes(32)).publicKey, keys.publicKey);
  assert.equal(isPushPoint(keys.publicKey), true);
  assert.equal(isPushPoint(`B${'A'.repeat(86)}`), false);
  assert.equal(isPushPoint('BAAA'), false);
});
