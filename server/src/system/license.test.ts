import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { Settings } from '../store/settings.ts';
import { readLicense, writeLicense, type LicenseClaims } from './license-text.ts';
import { LicenseKeeper } from './license.ts';

function keyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

function memory(): Settings {
  const values = new Map<string, unknown>();
  return {
    get: (key: string) => Promise.resolve(values.get(key)),
    set: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
  } as Settings;
}

const claims: LicenseClaims = {
  version: 1,
  owner: 'Ünïted Cameras',
  productType: 'enterprise',
  issuedAt: 1,
  expiresAt: null,
  maxStreams: 2,
  features: ['tunnel'],
};
const vendor = keyPair();
const hasCode = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

test('[R6.10] a license is read back as it was written, also when mail has broken its lines', () => {
  const text = writeLicense(claims, vendor.privateKey);
  assert.deepEqual(readLicense(text, vendor.publicKey), claims);
  assert.deepEqual(readLicense(`\r\n ${text.replaceAll('\n', '\r\n  ')} \n`, vendor.publicKey), claims);
});

test('[R8.7] a text that was changed, cut, or signed by another key is IncorrectLicense', () => {
  const text = writeLicense(claims, vendor.privateKey);
  assert.throws(() => readLicense(text, keyPair().publicKey), hasCode('IncorrectLicense'));
  for (const bad of ['', 'hello', text.slice(0, -1), text.replace('.', ''), `${text}x`]) {
    assert.throws(() => readLicense(bad, vendor.publicKey), hasCode('IncorrectLicense'), bad);
  }
  const body = text.split('\n').slice(1, -1).join('');
  for (let index = 0; index < body.length; index += 7) {
    const other = body[index] === 'A' ? 'B' : 'A';
    if (body[index] === '.') continue;
    const changed = [
      text.split('\n')[0],
      body.slice(0, index) + other + body.slice(index + 1),
      text.split('\n').at(-1),
    ];
    // The last character of a base64 part may carry bits that mean nothing.
    if (index === body.length - 1) continue;
    assert.throws(
      () => readLicense(changed.join('\n'), vendor.publicKey),
      hasCode('IncorrectLicense'),
      `byte ${index}`,
    );
  }
});

test('[R6.10] without a vendor’s key the server issues itself a community license, once', async () => {
  const settings = memory();
  const clock = new ManualClock();
  const keeper = await LicenseKeeper.open({ settings, clock, vendorKey: null });
  assert.equal(keeper.view.productType, 'community');
  assert.equal(keeper.isExpired, false);
  keeper.requireStreamAllowance(100_000);
  const again = await LicenseKeeper.open({ settings, clock, vendorKey: null });
  assert.equal(again.view.text, keeper.view.text);
});

test('[R6.9] with a vendor’s key a missing license counts as expired, and what replaces it takes effect at once', async () => {
  const clock = new ManualClock();
  const keeper = await LicenseKeeper.open({ settings: memory(), clock, vendorKey: vendor.publicKey });
  assert.equal(keeper.isExpired, true);
  assert.throws(() => keeper.requireValid(), hasCode('LicenseExpired'));
  await assert.rejects(
    keeper.replace(writeLicense(claims, keyPair().privateKey)),
    hasCode('IncorrectLicense'),
  );
  const expiresAt = clock.wallMs() + 1_000;
  const view = await keeper.replace(writeLicense({ ...claims, expiresAt }, vendor.privateKey));
  assert.equal(view.owner, 'Ünïted Cameras');
  keeper.requireStreamAllowance(1);
  assert.throws(() => keeper.requireStreamAllowance(2), hasCode('QuotaReached'));
  clock.advance(1_000);
  assert.throws(() => keeper.requireValid(), hasCode('LicenseExpired'));
  const old = writeLicense({ ...claims, expiresAt: 5 }, vendor.privateKey);
  await assert.rejects(keeper.replace(old), hasCode('LicenseExpired'));
});
