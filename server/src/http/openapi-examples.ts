/**
 * Examples for the OpenAPI document, made of the schemas themselves: what a schema does not allow is in no example, and a
 * new call has its examples at once. The tables below only make them read like a real installation.
 */
type JsonExample = Record<string, unknown>;

const nowMs = Date.UTC(2026, 10, 21, 10);
const hourMs = 3_600_000;

/**
 * By member name, or by that of what it stands in and its own; a value that the schema does not allow is passed over. The
 * word for a list is its only element.
 */
const words: Readonly<Record<string, unknown>> = {
  action: 'addStream',
  activeStreams: 12,
  after: 0,
  appLogo: null,
  appTitle: 'Vidette',
  archiveDownloadMaxSeconds: 3_600,
  archiveMaxDepthHours: -1,
  attempts: 1,
  bindHost: 'localhost',
  bindPort: 8_443,
  capacity: 200,
  clusterEnabled: false,
  code: '7KQW-M3XP',
  connections: 2,
  connectionsTotal: 40,
  cpuPercent: 12.5,
  current: '0.1.0',
  damagedFrames: 0,
  damagedFramesPerSecond: 0,
  documentation: 'https://docs.example.org/vidette',
  before: 4711,
  bitrate: 4_096_000,
  bytes: 1_843_200_000,
  codec: 'h264',
  codecString: 'avc1.64001f',
  cause: 'unreachable',
  createdBy: 'maria',
  days: '2026-11-21',
  defaultLanguage: 'en',
  depthHours: 168,
  farAfterHours: 72,
  description: '1920x1080',
  details: {},
  diskFreeBytes: 750_000_000_000,
  diskTotalBytes: 1_000_000_000_000,
  durationMs: 3_600_000,
  email: 'maria@example.org',
  expireTime: nowMs + 720 * hourMs,
  expiresAt: nowMs + 720 * hourMs,
  end_time: nowMs,
  endTime: nowMs,
  failureReason: null,
  features: 'tunnel',
  file: 'index.m3u8',
  from: nowMs - hourMs,
  failureCode: null,
  frames: 25,
  fullName: 'Maria Petrova',
  group: 'Yard',
  height: 1080,
  expectedMs: 86_400_000,
  'histories.name': 'received',
  'histories.values': 4_096_000,
  'histories.unit': 'bit/s',
  host: 'relay.example.org',
  hostKey: 'SHA256:4nF0vYp8W2q6hXk9dJ3sTzRbL7mUcE1oGiAxQyBtNwE',
  ip: '192.0.2.17',
  isAdmin: false,
  isBlocked: false,
  isDrained: false,
  isEnterprise: false,
  isExpired: false,
  isLicenseExpired: false,
  isLocked: false,
  isSetupAllowed: true,
  isManaged: false,
  keyFrames: 3_600,
  kioskPrefillPassword: null,
  kioskPrefillUser: null,
  latest: '0.2.0',
  kind: 'motion',
  key: 'q2w8xZk1nVt5bYc7mHs3dLf9gPj6rRu4aEoTiXyBzKw',
  language: 'en',
  lastSeenTime: nowMs,
  latitude: 55.751,
  location: 'RU',
  'location.name': 'Main building',
  login: 'maria',
  longitude: 37.618,
  lostPackets: 0,
  lostPacketsPerSecond: 0,
  marker: null,
  maxStreamCreation: 10,
  maxStreams: 100,
  memoryBytes: 250_000_000,
  mustChangePassword: false,
  message: 'The source sends H264 1920x1080 and AAC 48000 Hz.',
  name: 'Gate',
  'node.id': 'main',
  nodeID: 'main',
  onDemand: false,
  note: 'A red car at the gate',
  oldPassword: 'an old long sentence of mine',
  owner: 'Example Ltd',
  outcome: 'ok',
  page: 1,
  pageSize: 100,
  pendingRestart: false,
  permissionType: 'user',
  playlistMaxSeconds: 604_800,
  port: 22,
  presentedHostKey: null,
  productType: 'community',
  publicUrl: 'https://cams.example.org',
  password: 'a new long sentence of mine',
  query: 'gate',
  rangesMaxSeconds: 10_800,
  receivedBitsPerSecond: 82_000_000,
  reconnects: 2,
  restartKeys: 'port',
  environmentKeys: 'host',
  revision: 3,
  rotationSeconds: 20,
  roundTripMs: 35,
  sampleRate: 48_000,
  channels: 2,
  secret: 'q2w8xZk1nVt5bYc7mHs3dLf9gPj6rRu4aEoTiXyBzKw',
  search: 'gate',
  searchingValues: 'gate',
  segments: 60,
  sentBitsPerSecond: 12_000_000,
  site: null,
  smtpServerHost: 'mail.example.org',
  smtpServerPort: 587,
  smtpServerProtected: true,
  startTime: nowMs - hourMs,
  start_time: nowMs - hourMs,
  state: 'working',
  status: 'running',
  stream: 'k3m9x2q7w5ab',
  stream_id: 'k3m9x2q7w5ab',
  streamId: 'k3m9x2q7w5ab',
  streamName: 'Gate',
  streams: 20,
  streamsRunning: 19,
  streamSource: 'rtsp://user:password@192.0.2.30:554/stream1',
  subStreamSource: null,
  subject: 'k3m9x2q7w5ab',
  successors: 1,
  tags: 'Yard',
  target: 'k3m9x2q7w5ab',
  time: nowMs - hourMs,
  timeEnd: nowMs - hourMs + 5_000,
  times: nowMs - 10_000,
  shares: 0.998,
  time_zone: 'Europe/Moscow',
  timezone_offset: 180,
  timeZone: 'Europe/Moscow',
  to: nowMs,
  'tracks.channels': null,
  'tracks.kind': 'video',
  'tracks.sampleRate': null,
  transport: 'rtsp',
  tunnelLocations: 'RU',
  uptimeSeconds: 86_400,
  usedPercent: null,
  uid: 'k3m9x2q7w5ab',
  unit: 'bit/s',
  url: 'rtsp://192.0.2.30:554/stream1',
  user: 'maria',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0',
  values: { 'archive.quotaBytes': 500_000_000_000 },
  version: '0.1.0',
  videoFrames: 90_000,
  viewers: 2,
  width: 1920,
  writeLatencyMs: 8,
  x: 0,
  y: 0,
};

/** A person's `name` is a login. */
const personal = ['email', 'password', 'fullName', 'maxStreamCreation'];

/** A value of a JSON schema (draft 2020-12, as Zod writes it), which stands as `name` in the member `within`. */
export function exampleOf(schema: JsonExample, name = '', within = ''): unknown {
  for (const key of [`${within}.${name}`, name]) {
    const word = wordFor(schema, key);
    if (word !== undefined) return word;
  }
  const [only, ...others] = choicesOf(schema);
  if (only === undefined) return {};
  if (others.length > 0)
    return exampleOf([only, ...others].find(({ type }) => type !== 'null') ?? only, name);
  if ('const' in schema) return schema['const'];
  if ('default' in schema && !('properties' in schema)) return schema['default'];
  const [first] = (schema['enum'] as unknown[] | undefined) ?? [];
  if (first !== undefined) return first;
  switch (schema['type']) {
    case 'object':
      return objectOf((schema['properties'] ?? {}) as Record<string, JsonExample>, name);
    case 'array':
      return [exampleOf((schema['items'] ?? {}) as JsonExample, name, within)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'string':
      return textOf(schema);
    default:
      return {};
  }
}

/** What a value may be: of several schemas or types each by itself. */
function choicesOf(schema: JsonExample): JsonExample[] {
  const choices = (schema['anyOf'] ?? schema['oneOf']) as JsonExample[] | undefined;
  if (choices) return choices;
  const { type } = schema;
  return Array.isArray(type) ? type.map((one: unknown) => ({ ...schema, type: one })) : [schema];
}

function objectOf(properties: Record<string, JsonExample>, name: string): JsonExample {
  const isPerson = personal.some((member) => member in properties);
  return Object.fromEntries(
    Object.entries(properties).map(([member, schema]) => [
      member,
      isPerson && member === 'name' ? 'maria' : exampleOf(schema, member, name),
    ]),
  );
}

/** The table's value, when the schema allows it. */
function wordFor(schema: JsonExample, name: string): unknown {
  if (!Object.hasOwn(words, name)) return undefined;
  const word = words[name];
  return choicesOf(schema).some((choice) => allows(choice, word)) ? word : undefined;
}

function allows(schema: JsonExample, value: unknown): boolean {
  if ('const' in schema) return schema['const'] === value;
  const listed = schema['enum'] as unknown[] | undefined;
  if (listed) return listed.includes(value);
  switch (schema['type']) {
    case 'null':
      return value === null;
    case 'string':
      return typeof value === 'string' && matches(schema, value);
    case 'integer':
    case 'number':
      return typeof value === 'number' && value >= least(schema) && value <= most(schema);
    case 'object':
      return typeof value === 'object' && value !== null && !('properties' in schema);
    default:
      return false;
  }
}

function matches(schema: JsonExample, text: string): boolean {
  const parts = (schema['allOf'] as JsonExample[] | undefined) ?? [];
  const patterns = [schema, ...parts].map((part) => part['pattern']).filter((one) => typeof one === 'string');
  return (
    patterns.every((pattern) => new RegExp(pattern, 'u').test(text)) &&
    text.length >= Number(schema['minLength'] ?? 0) &&
    text.length <= Number(schema['maxLength'] ?? Infinity)
  );
}

function numberOf(schema: JsonExample): number {
  // Only times reach so far.
  if (most(schema) > Number.MAX_SAFE_INTEGER / 1_000 && most(schema) < Number.MAX_SAFE_INTEGER) return nowMs;
  return Math.min(Math.max(1, least(schema)), most(schema));
}

function textOf(schema: JsonExample): string {
  const candidates = ['text', 'k3m9x2q7w5ab', '2026-11-21', 'maria@example.org', '161573256300000.mp4'];
  return candidates.find((text) => matches(schema, text)) ?? '';
}

function least(schema: JsonExample): number {
  return Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? -Infinity);
}

function most(schema: JsonExample): number {
  return Number(schema['maximum'] ?? schema['exclusiveMaximum'] ?? Infinity);
}
