import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ApiError, type Client } from '@vidette/contract/client';
import { writeLicense } from '../server/src/system/license-text.ts';
import { administratorOf, until } from './api.ts';
import { startServer, type TestServer } from './server.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

let server: TestServer;
let admin: Client;

before(async () => {
  const vendorKey = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  server = await startServer({ env: { VIDETTE_LICENSE_VENDOR_KEY: vendorKey } });
  admin = (await administratorOf(server)).client;
});

after(() => server?.stop());

function licenseOf(lifeMs: number): string {
  const issuedAt = Date.now();
  return writeLicense(
    {
      version: 1,
      owner: 'ACME',
      productType: 'standard',
      issuedAt,
      expiresAt: issuedAt + lifeMs,
      maxStreams: -1,
      features: ['archive'],
    },
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
}

const isExpired = (error: unknown) => error instanceof ApiError && error.code === 'LicenseExpired';

test('[R6.9, R6.10] a license expires while the server runs: no stream is added, no archive is watched, recording continues', async () => {
  const body = { name: 'Demo', streamSource: 'demo:' };
  await assert.rejects(admin.addStream({ body }), isExpired);
  await admin.saveLicense({ body: { text: licenseOf(4_000) } });
  const { uid } = await admin.addStream({ body });
  const span = { params: { uid }, query: { start_time: 0, end_time: 1 } };
  await admin.getArchiveRanges(span);
  const recordedBytes = async () => (await admin.getSystemStats()).archiveBytes;
  await until(
    () => admin.getLicense(),
    (license) => license.isExpired,
  );
  await assert.rejects(admin.getArchiveRanges(span), isExpired);
  await assert.rejects(admin.addStream({ body }), isExpired);
  const { warnings } = await admin.getHealth();
  assert.ok(warnings.some(({ code }) => code === 'license-expired'));
  assert.equal((await admin.getSettings()).isLicenseExpired, true);
  const before = await recordedBytes();
  await until(recordedBytes, (bytes) => bytes > before);
  assert.equal((await admin.getStream({ params: { uid } })).status, 'running');
  await admin.saveLicense({ body: { text: licenseOf(60_000) } });
  await admin.getArchiveRanges(span);
});
