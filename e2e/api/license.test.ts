import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { writeLicense, type LicenseClaims } from '../../server/src/system/license-text.ts';
import { administratorOf, until } from '../api.ts';
import { startServer, type TestServer } from '../server.ts';

function keyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

const vendor = keyPair();
const dayMs = 86_400_000;
let server: TestServer;
let client: Client;

before(async () => {
  server = await startServer({ env: { VIDETTE_LICENSE_VENDOR_KEY: vendor.publicKey } });
  ({ client } = await administratorOf(server));
});

after(() => server?.stop());

function licensed(claims: Partial<LicenseClaims> = {}, key = vendor.privateKey): string {
  const base = { version: 1, owner: 'Harbour', productType: 'standard', issuedAt: 1 } as const;
  return writeLicense({ ...base, expiresAt: null, maxStreams: 1, features: ['archive'], ...claims }, key);
}

const newStream = (name: string) => ({
  body: { name, streamSource: 'udp://:9', live: { onDemand: true }, archive: { isEnable: false } },
});
const refuses = (text: string, code: string) =>
  assert.rejects(client.saveLicense({ body: { text } }), (error: { code?: string; fields?: unknown[] }) => {
    assert.equal(error.code, code);
    return true;
  });

test('[R6.9, R3.7] a server without a license adds no stream and shows no archive, but runs', async () => {
  const { isExpired, text, expiresAt } = await client.getLicense();
  assert.deepEqual([isExpired, text, expiresAt], [true, '', null]);
  assert.equal((await client.getSettings()).isLicenseExpired, true);
  await assert.rejects(client.addStream(newStream('a')), { code: 'LicenseExpired' });
  assert.equal((await client.listStreams()).total, 0);
  const { warnings } = await client.getHealth();
  assert.ok(warnings.some((warning) => warning.code === 'license-expired'));
});

test('[R7.35, R8.7] texts signed with another key, changed in one byte, truncated, or expired yesterday are refused at the field', async () => {
  const good = licensed();
  const lines = good.split('\n');
  const body = lines.slice(1, -1).join('');
  for (const at of [0, 10, body.indexOf('.') + 5]) {
    const other = body[at] === 'A' ? 'B' : 'A';
    const changed = body.slice(0, at) + other + body.slice(at + 1);
    await refuses([lines[0], changed, lines.at(-1)].join('\n'), 'IncorrectLicense');
  }
  await refuses(licensed({}, keyPair().privateKey), 'IncorrectLicense');
  await refuses(good.slice(0, -1), 'IncorrectLicense');
  await refuses(good.replace('.', ''), 'IncorrectLicense');
  await refuses('not a license', 'IncorrectLicense');
  await refuses('\0', 'IncorrectLicense');
  await refuses(licensed({ expiresAt: Date.now() - dayMs }), 'LicenseExpired');
  await assert.rejects(
    client.saveLicense({ body: { text: 'nonsense' } }),
    (error: { fields?: { path: string }[] }) => {
      assert.equal(error.fields?.[0]?.path, 'text');
      return true;
    },
  );
  await refuses('', 'ValidationError');
  await refuses('x'.repeat(10_001), 'ValidationError');
  assert.equal((await client.getLicense()).text, '');
});

test('[R7.35, R3.7, R6.9] a valid license takes effect immediately, within the number of streams that it allows', async (t) => {
  const saved = await client.saveLicense({ body: { text: licensed() } });
  assert.deepEqual(
    [saved.isExpired, saved.owner, saved.productType, saved.maxStreams, saved.features],
    [false, 'Harbour', 'standard', 1, ['archive']],
  );
  assert.deepEqual(await client.getLicense(), saved);
  const { uid } = await client.addStream(newStream('a'));
  t.after(() => client.deleteStream({ params: { uid } }));
  await assert.rejects(client.addStream(newStream('b')), { code: 'QuotaReached' });
  const span = { params: { uid }, query: { start_time: 0, end_time: 1 } };
  assert.deepEqual((await client.getArchiveRanges(span)).period, null);
});

test('[R6.9, R3.9] after expiry streams stay and the archive is closed, without a restart; days before there is a warning', async () => {
  const expiresAt = Date.now() + 3 * dayMs;
  await client.saveLicense({ body: { text: licensed({ expiresAt }) } });
  const { uid } = await client.addStream(newStream('a'));
  const params = { uid };
  const { warnings } = await client.getHealth();
  const warning = warnings.find(({ code }) => code === 'license-expires');
  assert.equal(warning?.expiresAt, expiresAt);
  await client.saveLicense({ body: { text: licensed({ expiresAt: Date.now() + 3_000 }) } });
  await until(
    () => client.getLicense(),
    (license) => license.isExpired,
  );
  await assert.rejects(client.addStream(newStream('c')), { code: 'LicenseExpired' });
  const span = { start_time: 0, end_time: 1 };
  for (const call of [
    () => client.getArchiveRanges({ params, query: span }),
    () => client.getArchiveStats({ params }),
    () => client.getArchiveDays({ params, query: span }),
    () => client.getArchiveExtent({ params, query: span }),
    () => client.getArchivePlaylist({ params, query: span }),
    () => client.downloadArchive({ params, query: span }),
    () => client.getArchivePicture({ params, query: { time: 1 } }),
    () => client.getArchiveConverted({ params, query: { time: 1 } }),
    () => client.searchArchiveChanges({ params, query: span }),
    () => client.getArchiveSegment({ params: { ...params, file: '1.mp4' } }),
    () => client.listAnnotations({ query: { streamId: params.uid, from: 0, to: 1 } }),
    () => client.addExport({ body: { streams: [params.uid], startTime: 0, endTime: 1 } }),
    () => client.retryExport({ params: { id: 1 } }),
    () => client.downloadExport({ params: { id: 1 } }),
  ]) {
    await assert.rejects(call(), { code: 'LicenseExpired' });
  }
  assert.equal((await client.getStream({ params })).name, 'a');
  assert.equal((await client.saveStream({ params, body: { name: 'renamed' } })).name, 'renamed');
});

test('[R6.7, R7.47] a license without the tunnel opens none, and the log names the location that was requested', async () => {
  await client.saveLicense({ body: { text: licensed({ features: ['archive'] }) } });
  await assert.rejects(client.startTunnel({ body: { location: 'RU' } }), { code: 'FeatureNotFound' });
  await assert.rejects(client.getTunnelStatus(), { code: 'FeatureNotFound' });
  assert.equal((await client.stopTunnel()).location, null);
  const { items } = await client.listAuditLogs({ query: { action: 'startTunnel' } });
  assert.deepEqual([items[0]?.target, items[0]?.outcome], ['RU', 'FeatureNotFound']);
});
