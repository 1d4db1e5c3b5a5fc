import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { ConfigFile } from '../config/schema.ts';
import { Store } from '../store/store.ts';
import { HealthMonitor } from './health.ts';
import { writeLicense, type LicenseClaims } from './license-text.ts';
import { LicenseService } from './license.ts';

const dayMs = 86_400_000;
const vendor = pemPair();
const stranger = pemPair();

let folder: string;
let store: Store;
let clock: ManualClock;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-license-'));
  store = await Store.open({ file: join(folder, 'vidette.sqlite'), redact: (source) => source });
});

beforeEach(() => {
  clock = new ManualClock();
});

after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function pemPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

function textOf(claims: Partial<LicenseClaims>, key = vendor): string {
  const whole: LicenseClaims = {
    version: 1,
    owner: 'ACME',
    productType: 'standard',
    issuedAt: clock.wallMs(),
    expiresAt: clock.wallMs() + 30 * dayMs,
    maxStreams: 2,
    features: ['archive'],
    ...claims,
  };
  return writeLicense(whole, key.privateKey);
}

function openService(vendorKey: string | null = vendor.publicKey): Promise<LicenseService> {
  return LicenseService.open({ settings: store.settings, clock, vendorKey });
}

const failsWith = (code: ErrorCode) => (error: unknown) => error instanceof Fault && error.code === code;

test('[R6.10] without a vendor’s key the server issues itself a license that never expires', async () => {
  const own = await openService(null);
  own.requireValid();
  own.requireStreamAllowance(1_000_000);
  assert.deepEqual([own.view.productType, own.view.expiresAt, own.isExpired], ['community', null, false]);
  assert.equal((await openService(null)).view.text, own.view.text, 'once for all');
});

test('[R6.10] with a vendor’s key only texts signed with it are valid', async () => {
  const service = await openService();
  assert.deepEqual([service.isExpired, service.view.productType], [true, 'none']);
  assert.throws(() => service.requireValid(), failsWith('LicenseExpired'));
  const good = textOf({});
  const at = good.indexOf('\n') + 5;
  const changed = good.slice(0, at) + (good[at] === 'A' ? 'B' : 'A') + good.slice(at + 1);
  for (const text of [textOf({}, stranger), changed, good.slice(0, -40), 'hello', good + good]) {
    await assert.rejects(service.replace(text), failsWith('IncorrectLicense'));
  }
  await assert.rejects(
    service.replace(textOf({ expiresAt: clock.wallMs() - dayMs })),
    failsWith('LicenseExpired'),
  );
  await service.replace(`\n${good}\n`);
  assert.equal(service.view.owner, 'ACME');
  assert.equal((await openService()).view.owner, 'ACME', 'also after a restart');
  assert.equal((await openService(stranger.publicKey)).isExpired, true, 'not under another key');
});

test('[R6.9] license expiry takes effect without a restart, and so does a new license', async () => {
  const service = await openService();
  await service.replace(textOf({}));
  clock.advance(30 * dayMs - 1);
  service.requireStreamAllowance(1);
  assert.throws(() => service.requireStreamAllowance(2), failsWith('QuotaReached'));
  clock.advance(1);
  assert.throws(() => service.requireStreamAllowance(0), failsWith('LicenseExpired'));
  assert.equal(service.view.isExpired, true);
  await service.replace(textOf({}));
  service.requireValid();
});

test('[R3.9] health warns of license expiry two weeks ahead, and after it', async () => {
  const service = await openService();
  await service.replace(textOf({}));
  const node = { id: 'main', isDrained: false, wrongClocks: [] };
  const config = ConfigFile.parse({});
  const health = new HealthMonitor({
    clock,
    license: service,
    archiveDir: folder,
    config,
    node,
    load: { level: 0 },
  });
  const codes = async () =>
    (await health.warnings([], [])).map(({ code }) => code).filter((code) => /license/.test(code));
  clock.advance(16 * dayMs - 1);
  assert.deepEqual(await codes(), []);
  clock.advance(1);
  assert.deepEqual(await codes(), ['license-expires']);
  clock.advance(14 * dayMs);
  assert.deepEqual(await codes(), ['license-expired']);
});
