import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../base/manual-clock.ts';
import type { Log } from '../base/log.ts';
import { selfSigned } from '../system/smtp-fixture.ts';
import { ServerCertificate } from './server-certificate.ts';

const [first, second] = [selfSigned(), selfSigned()];
const dayMs = 86_400_000;
/** The certificates of the test are valid for two days. */
const healthy = 'expires';

async function files(t: TestContext, pair = first) {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-certificate-'));
  t.after(() => rm(folder, { recursive: true }));
  const [certificatePath, keyPath] = [join(folder, 'chain.pem'), join(folder, 'key.pem')];
  await writeFile(certificatePath, pair.certificate);
  await writeFile(keyPath, pair.key);
  const lines: string[] = [];
  const say = (_: object, line: string) => void lines.push(line);
  const log = { info: say, warn: say, error: say, debug: say } as unknown as Log;
  const clock = new ManualClock(Date.now());
  return { certificatePath, keyPath, clock, log, lines };
}

/** Waits until the files are read, however slow the disk is. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

test('a renewed pair is used once both files have changed', async (t) => {
  const options = await files(t);
  const { certificatePath, keyPath, clock, lines } = options;
  const certificate = await ServerCertificate.open(options);
  t.after(() => certificate.close());
  const renewed: string[] = [];
  certificate.onRenewed(({ cert }) => renewed.push(cert.toString()));
  assert.equal(certificate.problem, healthy);
  await certificate.reload();
  assert.deepEqual(renewed, [], 'the same files are no renewal');

  // As renewal programs do: a new file replaces the old one, the key a moment later.
  await writeFile(`${certificatePath}.new`, second.certificate);
  await rename(`${certificatePath}.new`, certificatePath);
  await certificate.reload();
  assert.equal(certificate.problem, 'unusable');
  assert.match(lines.at(-1) ?? '', /does not belong to the certificate.*remains in use/);
  assert.equal(certificate.current.cert.toString(), first.certificate);
  await writeFile(keyPath, second.key);
  const settling = clock.pendingTimers;
  clock.advance(5_000);
  await until(() => clock.pendingTimers > settling);
  clock.advance(1_000);
  await until(() => renewed.length > 0);
  assert.deepEqual(renewed, [second.certificate]);
  assert.equal(certificate.problem, healthy);
});

test('unusable files leave the current pair in use, and the reason is logged', async (t) => {
  const options = await files(t);
  const { certificatePath, keyPath, lines } = options;
  const certificate = await ServerCertificate.open(options);
  t.after(() => certificate.close());
  for (const [path, text, words] of [
    [certificatePath, 'nonsense', /holds no certificate/],
    [certificatePath, '', /holds no certificate/],
    [keyPath, first.certificate, /holds no private key/],
    [keyPath, second.key, /does not belong/],
  ] as const) {
    await writeFile(path, text);
    await certificate.reload();
    assert.match(lines.at(-1) ?? '', words);
    assert.equal(certificate.problem, 'unusable');
    assert.equal(certificate.current.cert.toString(), first.certificate);
    await writeFile(certificatePath, first.certificate);
    await writeFile(keyPath, first.key);
    await certificate.reload();
    assert.equal(certificate.problem, healthy);
  }
  await rm(keyPath);
  await certificate.reload();
  assert.match(lines.at(-1) ?? '', /there is no such file/);
});

test('at startup one line states which file is wrong', async (t) => {
  const options = await files(t);
  const { certificatePath, keyPath } = options;
  for (const [path, text, message] of [
    [certificatePath, 'nonsense', /^tls\.certificate: .*chain\.pem holds no certificate in PEM\.$/],
    [keyPath, 'nonsense', /^tls\.key: .*key\.pem holds no private key in PEM, or one with a password\.$/],
    [keyPath, second.key, /^tls: the key in .* does not belong to the certificate in .*\.$/],
    [keyPath, undefined, /^tls\.key: .*key\.pem can't be read: there is no such file\.$/],
  ] as const) {
    if (text === undefined) await rm(path);
    else await writeFile(path, text);
    await assert.rejects(ServerCertificate.open(options), { name: 'ConfigError', message });
    await writeFile(certificatePath, first.certificate);
    await writeFile(keyPath, first.key);
  }
});

test('the expiry of the certificate is announced in advance, and reported when it has expired', async (t) => {
  const options = await files(t);
  const { clock, lines } = options;
  const certificate = await ServerCertificate.open(options);
  t.after(() => certificate.close());
  assert.equal(certificate.problem, healthy);
  assert.ok(Math.abs(certificate.expiresAt - Date.now() - 2 * dayMs) < dayMs);
  clock.stepWall(3 * dayMs);
  assert.equal(certificate.problem, 'expired');
  const late = await ServerCertificate.open(options);
  late.close();
  assert.match(lines.at(-1) ?? '', /expired on \d{4}-\d\d-\d\d\.$/);
});
