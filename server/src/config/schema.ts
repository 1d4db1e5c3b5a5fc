import { z } from 'zod';
import { isAddressRange } from '../base/network.ts';
import { archiveDefaults, defaultTunnelLocation, productName } from '@vidette/contract/constants';
import { mqttTopicMaxLength, mqttTopicPattern } from '@vidette/contract/mqtt';

/**
 * Every key of `vidette.yaml`, with its default. A key `a.b` is also read from the environment as
 * `VIDETTE_A_B` (see `environment.ts`), so keep key names short and stable.
 */
const text = z.string().trim().min(1).max(2_048);
const port = z.int().min(0).max(65_535);
const seconds = z.int().min(1).max(31_536_000);
const url = z.url({ protocol: /^https?$/ }).max(2_048);

/** Where to report vulnerabilities, as `Contact` of RFC 9116 (2.5.3): one line, and encrypted on the web. */
const contact = z
  .string()
  .trim()
  .max(500)
  .regex(
    /^(https:\/\/[^\s/@]+(\/\S*)?|mailto:[^\s@?]+@[^\s@?]+)$/,
    'a web address or an e-mail address is expected, as in https://example.org/security or mailto:security@example.org',
  );

const proxy = z
  .string()
  .trim()
  .refine(isAddressRange, 'an address or a range is expected, as in 10.0.0.5 or 10.0.0.0/8');

const hostName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9._:-]{1,253}$/, 'a host name or an address is expected');

/** Levels of an MQTT topic, to which the server appends further ones. */
const topic = z
  .string()
  .max(mqttTopicMaxLength)
  .regex(mqttTopicPattern, 'levels of letters, digits, ., _ and - with slashes between them are expected');

const brokerUrl = z
  .url({ protocol: /^mqtts?$/ })
  .max(2_048)
  .refine(hasOnlyHost, 'only the scheme, the host and the port are expected, as in mqtt://192.0.2.10:1883');

/** A relay: any machine with an SSH server that accepts connections on behalf of this server. */
const tunnelLocation = z.strictObject({
  code: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,16}$/, 'up to 16 letters, digits, _ and - are expected')
    .default(defaultTunnelLocation),
  name: text.max(100).nullable().default(null),
  host: hostName.nullable().default(null),
  port: port.min(1).default(22),
  user: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'a login of the relay is expected')
    .default('vidette'),
  hostKey: z
    .string()
    .trim()
    .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'a fingerprint as `ssh-keygen -l` shows it is expected')
    .nullable()
    .default(null),
  bindHost: hostName.default('localhost'),
  bindPort: port.min(1).default(8080),
  publicUrl: url.nullable().default(null),
  trustProxy: z.boolean().default(false),
});

export const ConfigFile = z.strictObject({
  port: port.default(8080),
  host: text.default('0.0.0.0'),
  publicUrl: url.nullable().default(null),
  // Earlier versions accepted only a flag, not a list.
  trustProxy: z.union([z.array(proxy).max(100), z.boolean()]).default([]),
  database: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .max(2_048)
    .nullable()
    .default(null),
  tls: z
    .strictObject({ certificate: text.nullable().default(null), key: text.nullable().default(null) })
    .prefault({}),
  log: z.strictObject({ level: z.enum(['debug', 'info', 'warn', 'error']).default('info') }).prefault({}),
  archive: z
    .strictObject({
      folder: text.nullable().default(null),
      downloadMaxSeconds: seconds.default(archiveDefaults.downloadMaxSeconds),
      playlistMaxSeconds: seconds.default(archiveDefaults.playlistMaxSeconds),
      rangesMaxSeconds: seconds.default(archiveDefaults.rangesMaxSeconds),
      maxDepthHours: z.int().min(-1).max(876_000).default(archiveDefaults.depthHours),
      quotaBytes: z.int().min(0).nullable().default(null),
      quotaPercent: z.number().min(1).max(99).default(90),
      holdPercent: z.number().min(0).max(50).default(20),
      warnPercent: z.number().min(1).max(100).default(95),
      warnRecordedPercent: z.number().min(0).max(100).default(95),
    })
    .prefault({}),
  s3: z
    .strictObject({
      endpoint: url.nullable().default(null),
      region: text.max(64).default('us-east-1'),
      bucket: z
        .string()
        .regex(/^[A-Za-z0-9._-]{3,255}$/, 'the name of a bucket is expected')
        .nullable()
        .default(null),
      prefix: z
        .string()
        .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/, 'names with slashes between them are expected')
        .max(200)
        .nullable()
        .default(null),
      accessKeyId: text.nullable().default(null),
      secretAccessKey: z.string().max(1_024).nullable().default(null),
      pathStyle: z.boolean().default(true),
      concurrency: z.int().min(1).max(16).default(2),
      bytesPerSecond: z.int().min(10_000).nullable().default(null),
      quotaBytes: z.int().min(0).nullable().default(null),
    })
    .prefault({}),
  export: z
    .strictObject({
      folder: text.nullable().default(null),
      keepHours: z.int().min(1).max(8_760).default(168),
      quotaBytes: z.int().min(0).default(107_374_182_400),
      minFreeBytes: z.int().min(0).default(1_073_741_824),
    })
    .prefault({}),
  engine: z
    .strictObject({
      processes: z
        .union([z.literal('auto'), z.int().min(0).max(64)], {
          error: 'expected auto, or a number from 0 to 64',
        })
        .default('auto'),
    })
    .prefault({}),
  overload: z.strictObject({ yields: z.boolean().default(true) }).prefault({}),
  source: z
    .strictObject({
      noFramesSeconds: z.number().min(1).max(600).default(10),
      probeSeconds: z.number().min(1).max(60).default(15),
    })
    .prefault({}),
  conversion: z
    .strictObject({
      for: z.enum(['everyone', 'administrators', 'nobody']).default('everyone'),
      atOnce: z.int().min(0).max(64).default(2),
    })
    .prefault({}),
  app: z
    .strictObject({
      title: text.max(100).default(productName),
      logo: text.nullable().default(null),
      language: z.enum(['en', 'ru']).nullable().default(null),
      documentation: url.nullable().default(null),
      site: url.nullable().default(null),
      securityContact: contact.nullable().default(null),
    })
    .prefault({}),
  session: z.strictObject({ days: z.number().min(0.001).max(3_650).default(30) }).prefault({}),
  smtp: z
    .strictObject({
      host: text.nullable().default(null),
      port: port.min(1).default(587),
      tls: z.enum(['starttls', 'always', 'never']).default('starttls'),
      user: text.nullable().default(null),
      password: z.string().max(1_024).nullable().default(null),
      from: text.nullable().default(null),
    })
    .prefault({}),
  passwordReset: z
    .strictObject({
      enabled: z.boolean().default(true),
      revealUnknown: z.boolean().default(false),
      codeMinutes: z.number().min(1).max(1_440).default(15),
    })
    .prefault({}),
  license: z.strictObject({ vendorKey: text.nullable().default(null) }).prefault({}),
  audit: z
    .strictObject({ enabled: z.boolean().default(true), days: z.int().min(1).max(36_500).default(365) })
    .prefault({}),
  journal: z
    .strictObject({
      days: z.int().min(1).max(3_650).default(90),
      entriesPerStream: z.int().min(10).max(1_000_000).default(20_000),
      entries: z.int().min(1_000).max(100_000_000).default(1_000_000),
    })
    .prefault({}),
  mqtt: z
    .strictObject({
      enabled: z.boolean().default(true),
      url: brokerUrl.nullable().default(null),
      user: text.nullable().default(null),
      password: z.string().max(1_024).nullable().default(null),
      ca: text.nullable().default(null),
      verify: z.boolean().default(true),
      topic: topic.default('vidette'),
      discovery: z.boolean().default(true),
      discoveryPrefix: topic.default('homeassistant'),
      stillSeconds: z.int().min(0).max(86_400).default(60),
      allowCommands: z.boolean().default(true),
    })
    .prefault({}),
  metrics: z.strictObject({ token: text.nullable().default(null) }).prefault({}),
  versionCheck: z.strictObject({ url: url.nullable().default(null) }).prefault({}),
  kiosk: z
    .strictObject({
      user: text.nullable().default(null),
      password: z.string().max(1_024).nullable().default(null),
    })
    .prefault({}),
  node: z
    .strictObject({
      id: z
        .string()
        .regex(/^[A-Za-z0-9._-]{1,64}$/)
        .default('main'),
      capacity: z.int().min(1).max(1_000_000).nullable().default(null),
    })
    .prefault({}),
  cluster: z
    .strictObject({
      address: url.nullable().default(null),
      allowPlainHttp: z.boolean().default(false),
    })
    .prefault({}),
  tunnel: z
    .strictObject({
      locations: z
        .array(tunnelLocation)
        .min(1)
        .max(20)
        .refine(
          (locations) => new Set(locations.map(({ code }) => code)).size === locations.length,
          'each location needs its own code',
        )
        .prefault([{}]),
    })
    .prefault({}),
});

/** The configuration in force: the file's keys, defaults filled in, and the location of the data. */
export interface Config extends z.output<typeof ConfigFile> {
  /** Absolute path of the data folder. */
  readonly dataDir: string;
}

/** Keys whose values never leave the server. */
export const secretKeys: readonly string[] = [
  'smtp.password',
  'metrics.token',
  'kiosk.password',
  'database',
  's3.secretAccessKey',
  'mqtt.password',
];

/** Credentials have keys of their own, and a broker has no path. Hoisted: the schema above uses it. */
function hasOnlyHost(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, hostname, pathname, search, hash } = new URL(text);
  return (
    hostname !== '' && username + password + search + hash === '' && (pathname === '' || pathname === '/')
  );
}
