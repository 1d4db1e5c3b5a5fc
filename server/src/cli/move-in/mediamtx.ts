import {
  type Finding,
  isNo,
  isYes,
  listIn,
  numberIn,
  objectIn,
  settingsInYaml,
  textIn,
  type Settings,
} from './found-stream.ts';
import { compileGoPattern, type GoPattern } from './go-pattern.ts';
import type { RecordPath } from './recording-template.ts';

/** A path of MediaMTX, or the settings of all paths that a pattern matches. */
export interface MediamtxPath {
  /** As the configuration names it. */
  readonly name: string;
  /** Undefined: the name is that of one path. */
  readonly pattern: GoPattern | undefined;
  readonly settings: Settings;
}

/** What a `mediamtx.yml` says of paths. */
export interface MediamtxConfig {
  /** Those with names of their own first, then patterns in the order in which MediaMTX tries them. */
  readonly paths: readonly MediamtxPath[];
  /** Address at which MediaMTX serves a path to readers; undefined if it serves no protocol that we read. */
  readonly addressOf: (path: string, settings: Settings) => string | undefined;
  /** Readers have to sign in. */
  readonly needsLogin: boolean;
  /** Entries that can't be understood, one sentence each. */
  readonly left: readonly string[];
}

/** The settings of recordings belonged to the whole server before version 1.4. */
const oncePerServer = ['record', 'recordPath', 'recordFormat', 'recordDeleteAfter'];
/** Where it writes unless the configuration says otherwise, relative to its folder. */
const recordPathDefault = './recordings/%path/%Y-%m-%d_%H-%M-%S-%f';
/** The file names of version 1.1, with the same folders. */
const oldName = '%Y-%m-%d_%H-%M-%S.mp4';

/** Reads a `mediamtx.yml`, of any version. @throws ForeignConfigError */
export function readMediamtx(text: string): MediamtxConfig {
  const config = settingsInYaml(text);
  const left: string[] = [];
  const defaults = {
    ...objectIn(config['pathDefaults']),
    ...Object.fromEntries(
      oncePerServer.flatMap((key) => (config[key] === undefined ? [] : [[key, config[key]]])),
    ),
  };
  const paths = Object.entries(objectIn(config['paths'])).flatMap(([name, value]): MediamtxPath[] => {
    const settings = { ...defaults, ...objectIn(value) };
    if (!isPattern(name)) return [{ name, pattern: undefined, settings }];
    const pattern = compileGoPattern(isAnyOther(name) ? '^.*$' : name.slice(1));
    if (pattern) return [{ name, pattern, settings }];
    left.push(`${name}: this is no regular expression.`);
    return [];
  });
  return {
    paths: paths.toSorted((a, b) => orderOf(a) - orderOf(b) || (a.name < b.name ? -1 : 1)),
    addressOf: (path, settings) => ownAddress(config, path, settings),
    needsLogin: needsLogin(config),
    left,
  };
}

function isAnyOther(name: string): boolean {
  return name === 'all' || name === 'all_others';
}

function isPattern(name: string): boolean {
  return name.startsWith('~') || isAnyOther(name);
}

function orderOf({ name, pattern }: MediamtxPath): number {
  if (!pattern) return 0;
  return isAnyOther(name) ? 2 : 1;
}

/** The settings that apply to a path, and what its pattern captures; undefined if the configuration has none. */
export function settingsOf(
  { paths }: MediamtxConfig,
  name: string,
): { readonly entry: MediamtxPath; readonly groups: readonly string[] } | undefined {
  const own = paths.find((path) => !path.pattern && path.name === name);
  if (own) return { entry: own, groups: [] };
  for (const entry of paths) {
    const groups = entry.pattern?.groupsOf(name);
    if (groups) return { entry, groups };
  }
  return undefined;
}

/** Where the recordings of a path are, with the names of their files. */
export function recordPathOf(settings: Settings): RecordPath {
  const path = textIn(settings['recordPath']) ?? recordPathDefault;
  const name = path.split('/').at(-1) ?? '';
  const reason = 'it is MPEG-TS: only recordings in the format fmp4 can be shown';
  return {
    path: `${path}.mp4`,
    others: [{ name: `${name}.ts`, reason }, ...(path === recordPathDefault ? [{ name: oldName }] : [])],
  };
}

/** Adds the stream of a path; its name may be one that a pattern matches. */
export function addPath(finding: Finding, config: MediamtxConfig, name: string): void {
  const found = settingsOf(config, name);
  if (!found) return;
  const { settings } = found.entry;
  const { source, remark, isOnDemand } = sourceOf(config, name, settings, found.groups);
  const isRecorded = isYes(settings['record']);
  const depthHours = hoursOf(textIn(settings['recordDeleteAfter']));
  if (source === undefined)
    finding.leave(`${name}: it is published to MediaMTX, which serves neither RTSP nor RTMP.`);
  else
    finding.add({
      ...{ name, source, isRecorded, isOnDemand },
      depthHours: depthHours === 0 ? undefined : depthHours,
      ...(remark !== undefined && { remark }),
    });
  if (isRecorded && depthHours === 0)
    finding.leave(
      `${name}: MediaMTX keeps its recordings for ever; here they have the server’s usual depth.`,
    );
}

interface Source {
  /** Undefined: there is none that this server could read. */
  readonly source: string | undefined;
  readonly isOnDemand: boolean;
  /** What the operator should know of it. */
  readonly remark?: string;
}

function sourceOf(
  { addressOf, needsLogin }: MediamtxConfig,
  name: string,
  settings: Settings,
  groups: readonly string[],
): Source {
  const isOnDemand = isYes(settings['sourceOnDemand']);
  const source = textIn(settings['source']) ?? 'publisher';
  const redirect = source === 'redirect' ? textIn(settings['sourceRedirect']) : undefined;
  if (redirect?.startsWith('/'))
    return { source: addressOf(redirect.slice(1), settings), isOnDemand, remark: 'another path of MediaMTX' };
  if (redirect !== undefined) return { source: redirect, isOnDemand };
  if (source !== 'publisher') return { source: knownScheme(withGroups(source, groups)), isOnDemand };
  const command = textIn(settings['runOnDemand']) ?? textIn(settings['runOnInit']);
  const remark = [
    command === undefined ? 'published to MediaMTX' : 'published by a command of MediaMTX',
    'and read from there until you enter the camera’s address',
    ...(needsLogin ? ['(MediaMTX asks for a user: add login and password to the address)'] : []),
  ].join(' ');
  const hasDemand = textIn(settings['runOnDemand']) !== undefined;
  return { source: addressOf(name, settings), isOnDemand: isOnDemand || hasDemand, remark };
}

/** `$G1` stands for what the first group of the pattern matches. The last ones first: `$G1` begins `$G10`. */
function withGroups(source: string, groups: readonly string[]): string {
  return groups.reduceRight((text, group, index) => text.replaceAll(`$G${index + 1}`, () => group), source);
}

/** Schemes of MediaMTX that have another name here. */
const schemes: Readonly<Record<string, string>> = {
  'rtsp+http': 'rtsph',
  'rtsps+http': 'rtspsh',
  'udp+mpegts': 'udp',
};

function knownScheme(source: string): string {
  const end = source.indexOf('://');
  const scheme = Object.hasOwn(schemes, source.slice(0, end)) ? schemes[source.slice(0, end)] : undefined;
  return scheme === undefined ? source : scheme + source.slice(end);
}

/** RTSP, else RTMP, on this machine unless the configuration names another address. */
function ownAddress(config: Settings, path: string, settings: Settings): string | undefined {
  const login = loginOf(settings);
  const isOff = (on: string, off: string) => isNo(config[on]) || isYes(config[off]);
  if (!isOff('rtsp', 'rtspDisable')) {
    const encryption = config['rtspEncryption'] ?? config['encryption'];
    const isSecure = encryption === 'strict' || isYes(encryption);
    const listening = isSecure
      ? (textIn(config['rtspsAddress']) ?? ':8322')
      : (textIn(config['rtspAddress']) ?? portOf(config['rtspPort']) ?? ':8554');
    return `${isSecure ? 'rtsps' : 'rtsp'}://${login}${reachable(listening)}/${path}`;
  }
  if (isOff('rtmp', 'rtmpDisable')) return undefined;
  return `rtmp://${login}${reachable(textIn(config['rtmpAddress']) ?? portOf(config['rtmpPort']) ?? ':1935')}/${path}`;
}

function portOf(value: unknown): string | undefined {
  const port = numberIn(value);
  return port === undefined ? undefined : `:${port}`;
}

/** Where a server that listens at an address is reached from the same machine. */
function reachable(listening: string): string {
  return listening.replace(/^(?:0\.0\.0\.0|\[::\])?:/, '127.0.0.1:');
}

/** Of readers, as the configuration of a path named them before version 1.9; hashed ones can't be used. */
function loginOf(settings: Settings): string {
  const [user, password] = [textIn(settings['readUser']), textIn(settings['readPass'])];
  const isUsable = [user, password].every((text) => text !== undefined && !/^(?:sha256|argon2):/.test(text));
  return isUsable && user !== 'any'
    ? `${encodeURIComponent(user ?? '')}:${encodeURIComponent(password ?? '')}@`
    : '';
}

function needsLogin(config: Settings): boolean {
  if (['http', 'jwt'].includes(textIn(config['authMethod']) ?? '')) return true;
  const users = config['authInternalUsers'];
  if (users === undefined) return false;
  return !listIn(users)
    .map(objectIn)
    .some(({ user, permissions }) => user === 'any' && listIn(permissions).map(objectIn).some(isReading));
}

function isReading({ action, path }: Settings): boolean {
  return action === 'read' && (textIn(path) ?? '') === '';
}

const unitHours: Readonly<Record<string, number>> = {
  d: 24,
  h: 1,
  m: 1 / 60,
  s: 1 / 3_600,
  ms: 1 / 3_600_000,
};

/** Of a duration in Go's notation with days, as in `1d12h`; undefined if it is none. */
function hoursOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[dhms]))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|[dhms])/g)].reduce(
    (total, [, count = '0', unit = '']) => total + Number(count) * (unitHours[unit] ?? 0),
    0,
  );
}
