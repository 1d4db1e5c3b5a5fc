import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import type { DeliveryTarget } from '../store/notification-targets.ts';
import type { Email } from '../system/mailer.ts';
import type { Message } from './channel.ts';
import { EmailChannel } from './email-channel.ts';

const target = {
  id: 3,
  userId: 1,
  settings: { type: 'email', to: ['a@example.org', 'b@example.org'] },
} as DeliveryTarget;
const recipient = { login: 'anna', language: 'ru', isAdmin: true } as const;

function message(id: number): Message {
  const event = {
    id,
    kind: 'motion',
    stream: 'gate',
    startMs: 0,
    endMs: 1,
    note: '<b>',
    code: null,
  } as const;
  const payload = { rule: { id: 7, name: 'Rule' }, event, suppressed: id === 1 ? 4 : 0 };
  const delivery = { id, targetId: 3, key: `r7-e${id}-t3`, payload, createdMs: 0, refusals: 0 };
  return { delivery, streamName: 'Gate' };
}

function channel(send: (email: Email) => Promise<void>) {
  return new EmailChannel({
    mailer: { isConfigured: true, send },
    config: { app: { title: 'Vidette' } } as never,
    publicUrl: () => 'https://v.example.org',
    still: async (_, uid) => (uid === 'gate' ? new Uint8Array([1, 2]) : undefined),
    timeZone: 'UTC',
  });
}

test('[R11.11] a burst is one e-mail with a still, in the language of the owner, and the same when it is sent again', async () => {
  const sent: Email[] = [];
  const made = channel(async (email) => void sent.push(email));
  const burst = Array.from({ length: 40 }, (_, index) => message(index + 1));
  assert.deepEqual(await made.send(target, recipient, burst), { isAccepted: true });
  await made.send(target, recipient, burst);
  const [email, again] = sent;
  assert.equal(email?.to, 'a@example.org, b@example.org');
  assert.equal(email?.subject, 'Vidette: Gate: движение, … (уведомлений: 40)');
  assert.deepEqual(email?.inline, { id: 'still', jpeg: new Uint8Array([1, 2]) });
  assert.ok(email?.html.includes('<img src="cid:still"') && email.html.includes('&#60;b&#62;'));
  assert.equal(email?.text.match(/https:\/\/v\.example\.org\/ui\/stream\/gate\/view\?t=0/g)?.length, 30);
  assert.ok(email?.text.includes('И ещё 10.'));
  assert.equal(again?.id, email?.id);
});

test('[R11.11] a mail server that refuses is a failure of the target', async () => {
  const made = channel(() => Promise.reject(new Fault('Unavailable', 'no')));
  const result = await made.send(target, recipient, [message(1)]);
  assert.deepEqual(result, {
    isAccepted: false,
    failure: { code: 'mail-server', status: null },
    isRefusal: false,
  });
});
