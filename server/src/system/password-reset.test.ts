import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import tls from 'node:tls';
import type { ErrorCode } from '@vidette/contract/errors';
import { Authenticator } from '../access/authenticator.ts';
import { PasswordHasher } from '../access/password-hash.ts';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { ConfigFile } from '../config/schema.ts';
import { Store } from '../store/store.ts';
import { Mailer } from './mailer.ts';
import { PasswordReset } from './password-reset.ts';
import { smtpPassword, smtpUser, startSmtpServer, type TestSmtpServer } from './smtp-fixture.ts';

const email = 'anna@example.org';
const newPassword = 'a new horse 9 staple';
const ip = '10.0.0.1';

let folder: string;
let store: Store;
let smtp: TestSmtpServer;
let passwords: PasswordHasher;
let userId: number;
const trusted = tls.getCACertificates('default');

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-reset-'));
  store = await Store.open({ file: join(folder, 'vidette.sqlite'), redact: (source) => source });
  smtp = await startSmtpServer();
  tls.setDefaultCACertificates([...trusted, smtp.certificate]);
  passwords = new PasswordHasher();
  userId = (
    await store.users.add({
      login: 'anna',
      email,
      fullName: '',
      language: 'en',
      passwordHash: null,
      isAdmin: false,
      maxStreamCreation: -1,
      isManaged: false,
      mustChangePassword: true,
      isBlocked: false,
      createdMs: 1,
      lastSeenMs: null,
    })
  ).id;
});

beforeEach(async () => {
  await store.resetCodes.remove(userId);
  await store.failedAttempts.prune(Number.MAX_SAFE_INTEGER);
});

after(async () => {
  tls.setDefaultCACertificates(trusted);
  await smtp.stop();
  await store.close();
  await rm(folder, { recursive: true });
});

function newReset(smtpKeys: object = {}, resetKeys: object = {}) {
  const config = {
    ...ConfigFile.parse({
      publicUrl: 'https://video.example.org/',
      smtp: { host: '127.0.0.1', port: smtp.port, user: smtpUser, password: smtpPassword, ...smtpKeys },
      passwordReset: resetKeys,
    }),
    dataDir: folder,
  };
  const clock = new ManualClock();
  const log = silentLog;
  const { users, sessions, tokens } = store;
  const authenticator = new Authenticator({ users, sessions, tokens, clock, log, sessionMs: 1e9 });
  const mailer = new Mailer(config);
  // Otherwise another e-mail, not the one with the code, would be the last one.
  const emails = { noteChange: () => {} };
  const reset = new PasswordReset({ config, store, authenticator, passwords, mailer, emails, clock, log });
  return { reset, clock, authenticator };
}

async function sentCode(reset: PasswordReset): Promise<string> {
  await reset.send(email, ip);
  await reset.settle();
  return smtp.emails.at(-1)?.code ?? '';
}

function fails(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  return assert.rejects(work, (error: unknown) => error instanceof Fault && error.code === code);
}

test('[R7.20] the e-mail is sent over STARTTLS with sign-in, as text and HTML, with code and link', async () => {
  const { reset } = newReset();
  const code = await sentCode(reset);
  const received = smtp.emails.at(-1);
  assert.ok(received);
  assert.match(code, /^[A-Z2-9]{4}-[A-Z2-9]{4}$/);
  assert.deepEqual([received.to, received.isSecure, received.user], [email, true, smtpUser]);
  assert.equal(received.subject, 'Vidette: code for a new password');
  assert.equal(received.content.split(code).length, 3, 'once in the text, once in the HTML');
  assert.match(received.content, /https:\/\/video\.example\.org\/ui\/recover-password/);
  assert.match(received.content, /<b [^>]*>/);
});

test('[R7.20, R1.4] the e-mail is in the language of its recipient', async () => {
  await store.users.save(userId, { language: 'ru' });
  await sentCode(newReset().reset);
  await store.users.save(userId, { language: 'en' });
  assert.equal(smtp.emails.at(-1)?.subject, 'Vidette: код для нового пароля');
  assert.match(smtp.emails.at(-1)?.content ?? '', /Код действует 15 мин/);
});

test('[R7.21] a code sets a password once, and ends every session', async () => {
  const { reset, authenticator } = newReset();
  const user = await store.users.byId(userId);
  assert.ok(user);
  const { secret } = await authenticator.open(user, { ip, userAgent: '' });
  assert.ok(await authenticator.bySession(secret, ip));
  const code = await sentCode(reset);
  const typed = {
    email: 'ANNA@example.org',
    code: code.toLowerCase().replace('-', ' '),
    password: newPassword,
  };
  await fails(reset.reset({ ...typed, password: 'password1' }, ip), 'PasswordIsNotComplexEnough');
  const outcomes = await Promise.allSettled([reset.reset(typed, ip), reset.reset(typed, ip)]);
  assert.deepEqual(outcomes.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
  const saved = await store.users.byId(userId);
  assert.ok(await passwords.verify(newPassword, saved?.passwordHash));
  assert.equal(saved?.mustChangePassword, false);
  assert.equal(await authenticator.bySession(secret, ip), undefined);
  await fails(reset.reset(typed, ip), 'UnknownLifetimeCode');
});

test('[R7.21, R8.13] a code is invalid after its lifetime, and after five wrong attempts', async () => {
  const { reset, clock } = newReset({}, { codeMinutes: 2 });
  const late = await sentCode(reset);
  clock.advance(120_000);
  await fails(reset.reset({ email, code: late, password: newPassword }, ip), 'UnknownLifetimeCode');
  const code = await sentCode(reset);
  for (let tries = 0; tries < 5; tries++) {
    await fails(reset.reset({ email, code: 'AAAA-AAAA', password: newPassword }, ip), 'UnknownLifetimeCode');
  }
  await fails(reset.reset({ email, code, password: newPassword }, ip), 'UnknownLifetimeCode');
});

test('[R8.12] another code for an address must wait, for every caller and whether or not the address is known', async () => {
  const { reset, clock } = newReset();
  for (const address of [email, 'unknown@example.org']) {
    assert.equal(await reset.send(address, ip), 60);
    const again = await reset.send(address.toUpperCase(), '10.0.0.2').catch((error: unknown) => error);
    assert.ok(again instanceof Fault && again.code === 'TooManyRequests');
    assert.equal(again.details['retryAfterSeconds'], 60);
  }
  await reset.settle();
  clock.advance(60_000);
  assert.equal(await reset.send(email, ip), 60);
  await reset.settle();
});

test('[R8.5] an unknown or blocked address is reported only if so configured', async () => {
  const before = smtp.emails.length;
  await newReset().reset.send('unknown@example.org', ip);
  await store.failedAttempts.prune(Number.MAX_SAFE_INTEGER);
  await fails(newReset({}, { revealUnknown: true }).reset.send('unknown@example.org', ip), 'NotFound');
  await store.users.save(userId, { isBlocked: true });
  const { reset } = newReset();
  await reset.send(email, ip);
  await reset.settle();
  await store.users.save(userId, { isBlocked: false });
  assert.equal(smtp.emails.length, before);
});

test('[R7.20] an unusable mail server is reported, and the next attempt need not wait', async () => {
  for (const keys of [{ password: 'wrong' }, { port: 1 }, { tls: 'always' }, { tls: 'never' }]) {
    const { reset } = newReset(keys);
    await fails(reset.send(email, ip), 'Unavailable');
    await fails(reset.send('unknown@example.org', ip), 'Unavailable');
    await fails(reset.send(email, ip), 'Unavailable');
  }
  tls.setDefaultCACertificates(trusted);
  await fails(newReset().reset.send(email, ip), 'Unavailable');
  tls.setDefaultCACertificates([...trusted, smtp.certificate]);
});

test('[R7.20] without a mail server, or when disabled, there is no recovery', async () => {
  for (const { reset } of [newReset({ host: null }), newReset({}, { enabled: false })]) {
    await fails(reset.send(email, ip), 'ActionNotAcceptable');
    await fails(reset.reset({ email, code: 'AAAA-AAAA', password: newPassword }, ip), 'ActionNotAcceptable');
  }
});

test('[R8.12] the limits hold for all nodes together', async () => {
  const [first, second] = [newReset().reset, newReset().reset];
  await sentCode(first);
  await fails(second.send(email, '192.0.2.77'), 'TooManyRequests');
  const guess = { email, code: 'AAAA-BBBB', password: 'a better one 77' };
  for (let tried = 0; tried < 20; tried++) {
    await fails((tried % 2 === 0 ? first : second).reset(guess, ip), 'UnknownLifetimeCode');
  }
  await fails(first.reset(guess, ip), 'TooManyRequests');
  await fails(second.reset(guess, ip), 'TooManyRequests');
});
