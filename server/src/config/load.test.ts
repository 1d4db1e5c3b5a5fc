import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { environmentKeys } from './environment.ts';
import { ConfigError, loadConfig, parseConfig } from './load.ts';
import { ConfigFile } from './schema.ts';

const sampleFile = new URL('../../../guide/vidette.sample.yaml', import.meta.url);

test('[R10.11] the sample documents every key, with the default that is in force', async () => {
  const sample = parse(await readFile(sampleFile, 'utf8')) as unknown;
  assert.deepEqual(sample, ConfigFile.parse({}));
});

test('[R10.9, R10.11] proxies are a list of addresses and ranges, from the file and from the environment; the earlier flag is still accepted', async () => {
  assert.deepEqual(ConfigFile.parse({ trustProxy: ['10.0.0.5', 'fd00::/8'] }).trustProxy, [
    '10.0.0.5',
    'fd00::/8',
  ]);
  assert.equal(ConfigFile.parse({ trustProxy: true }).trustProxy, true);
  assert.throws(() => ConfigFile.parse({ trustProxy: ['proxy.example'] }));
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-config-'));
  try {
    for (const [text, expected] of [
      ['10.0.0.5, fd00::/8', ['10.0.0.5', 'fd00::/8']],
      ['false', false],
      ['true', true],
    ] as const) {
      const config = await loadConfig({ VIDETTE_DATA: dataDir, VIDETTE_TRUST_PROXY: text });
      assert.deepEqual(config.trustProxy, expected);
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('a variable whose key takes a number or a word may have either', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-config-'));
  try {
    for (const [text, expected] of [
      ['auto', 'auto'],
      ['4', 4],
    ] as const) {
      const config = await loadConfig({ VIDETTE_DATA: dataDir, VIDETTE_ENGINE_PROCESSES: text });
      assert.equal(config.engine.processes, expected);
    }
    await assert.rejects(
      loadConfig({ VIDETTE_DATA: dataDir, VIDETTE_ENGINE_PROCESSES: 'many' }),
      /engine\.processes: expected auto, or a number/,
    );
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('[R10.11] the four variables that scripts rely on', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-config-'));
  try {
    const config = await loadConfig({
      VIDETTE_DATA: dataDir,
      VIDETTE_PORT: '9001',
      VIDETTE_HOST: '127.0.0.1',
      VIDETTE_DATABASE: 'postgres://db/vidette',
    });
    assert.equal(config.dataDir, dataDir);
    assert.equal(config.port, 9001);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.database, 'postgres://db/vidette');
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('[R10.11] the environment overrides the file, the file overrides the default', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-config-'));
  try {
    await writeFile(join(dataDir, 'vidette.yaml'), 'port: 7000\nsmtp: { host: mail, port: 25 }\n');
    const config = await loadConfig({ VIDETTE_DATA: dataDir, VIDETTE_SMTP_PORT: '26', VIDETTE_HOST: '' });
    assert.equal(config.port, 7000);
    assert.equal(config.host, '0.0.0.0');
    assert.deepEqual([config.smtp.host, config.smtp.port, config.smtp.tls], ['mail', 26, 'starttls']);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

for (const [name, text, env, words] of [
  ['a key that does not exist', 'prot: 1', {}, /prot: there is no such key/],
  ['a value of another type', 'port: high', {}, /port: /],
  ['a bad variable', '', { VIDETTE_PORT: '80a' }, /port: /],
  ['broken YAML', 'a: [1', {}, /x\.yaml: /],
  ['a list in place of keys', '- 1', {}, /keys and values/],
  ['half a TLS pair', 'tls: { key: k.pem }', {}, /both certificate and key/],
] as const) {
  test(`${name} is one clear line`, async () => {
    await assert.rejects(
      parseConfig(text, env, 'x.yaml'),
      (error: unknown) =>
        error instanceof ConfigError && words.test(error.message) && !error.message.includes('\n'),
    );
  });
}

test('every leaf has one environment variable', () => {
  const names = environmentKeys.map((key) => key.variable);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.includes('VIDETTE_ARCHIVE_MAX_DEPTH_HOURS'));
});
