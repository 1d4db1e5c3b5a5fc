import {
  Finding,
  isNo,
  isYes,
  listIn,
  numberIn,
  objectIn,
  settingsInYaml,
  textIn,
  type Found,
  type Settings,
} from './found-stream.ts';
import { Go2rtc } from './go2rtc.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** As in `{FRIGATE_RTSP_PASSWORD}`. */
const variable = /\{(FRIGATE_[A-Za-z0-9_]+)\}/g;

/**
 * Cameras of Frigate (`config.yml`, versions 0.12 to 0.17): the input for recording, that for detection as sub-stream, zones as
 * tags, and how long all recordings are kept. Addresses of its own go2rtc are replaced by what go2rtc reads.
 */
export function readFrigate(text: string, env: Environment): Found {
  const config = settingsInYaml(text);
  const finding = new Finding();
  const variables = new Variables(config, env);
  const go2rtc = new Go2rtc(config['go2rtc'], (source) => variables.fill(source, encodedOnce));
  const resolve = (path: string | undefined): Source => {
    const address = path === undefined ? undefined : withEncodedPassword(variables.fill(path, String));
    const behind = address === undefined ? undefined : go2rtc.behind(address);
    return { address, isRestream: false, ...behind, missing: variables.takeMissing() };
  };
  for (const [id, value] of Object.entries(objectIn(config['cameras'])))
    addCamera(finding, id, objectIn(value), objectIn(config['record']), resolve);
  for (const [key, what] of Object.entries(notTaken))
    if (config[key] !== undefined) finding.leave(`${what} can't be taken over.`);
  return finding.found;
}

interface Source {
  readonly address: string | undefined;
  readonly isRestream: boolean;
  /** Variables in it that have no value. */
  readonly missing: readonly string[];
}

const notTaken = {
  detectors: 'The detectors',
  mqtt: 'The connection to an MQTT broker',
  birdseye: 'Birdseye',
  auth: 'Users and passwords',
  notifications: 'Notifications',
  camera_groups: 'Groups of cameras',
};

function addCamera(
  finding: Finding,
  id: string,
  camera: Settings,
  recordOfAll: Settings,
  resolve: (path: string | undefined) => Source,
): void {
  const inputs = listIn(objectIn(camera['ffmpeg'])['inputs']).map(objectIn);
  const withRole = (role: string) => inputs.find(({ roles }) => listIn(roles).includes(role));
  const main = withRole('record') ?? inputs[0];
  const sub = withRole('detect');
  const record = { ...recordOfAll, ...objectIn(camera['record']) };
  const isDisabled = isNo(camera['enabled']);
  const isRecorded = isYes(record['enabled']) && !isDisabled;
  const name = textIn(camera['friendly_name']) ?? id;
  const zones = Object.entries(objectIn(camera['zones']));
  if (isDisabled) finding.leave(`${name}: the camera is disabled; it is added, but not recorded.`);
  if (isRecorded) leavePartOfRetention(finding, name, record);
  if (zones.length > 0 || hasMask(camera))
    finding.leave(`${name}: the shapes of its zones and masks; names of zones become tags.`);
  finding.addCamera({ name, camera: id });
  const [source, subSource] = [resolve(textIn(main?.['path'])), resolve(textIn(sub?.['path']))];
  const missing = new Set([...source.missing, ...subSource.missing]);
  if (missing.size > 0) {
    // Once the stream exists, importing again would not correct its address.
    finding.leave(`${name}: set ${[...missing].join(' and ')} in the environment, as for Frigate.`);
    return;
  }
  finding.add({
    name,
    source: source.address,
    subSource: sub === main ? undefined : subSource.address,
    tags: zones.map(([zone, settings]) => textIn(objectIn(settings)['friendly_name']) ?? zone),
    isRecorded,
    depthHours: daysOf(record),
    ...(source.isRestream && {
      remark: 'read from Frigate’s go2rtc, which reads the camera in a way of its own, as long as that runs',
    }),
  });
}

/** Frigate keeps some recordings longer than others, and may keep no others. */
function leavePartOfRetention(finding: Finding, name: string, record: Settings): void {
  const mode = textIn(objectIn(record['retain'])['mode']) ?? 'all';
  if (daysOf(record) === undefined)
    finding.leave(
      `${name}: Frigate keeps only recordings with motion, alerts or detections; here all have the server’s usual depth.`,
    );
  else if (mode !== 'all')
    finding.leave(
      `${name}: Frigate keeps only recordings with motion or objects that long; here all are kept.`,
    );
}

function hasMask(camera: Settings): boolean {
  return ['motion', 'objects'].some((key) => objectIn(camera[key])['mask'] !== undefined);
}

/** Hours that all recordings are kept; undefined where only those of events are. */
function daysOf(record: Settings): number | undefined {
  const days =
    numberIn(objectIn(record['continuous'])['days']) ??
    numberIn(objectIn(record['retain'])['days']) ??
    numberIn(record['retain_days']);
  return days === undefined || days === 0 ? undefined : days * 24;
}

/** Values of the variables that Frigate replaces: of the environment, or of `environment_vars`. */
class Variables {
  readonly #values: Environment;
  readonly #missing = new Set<string>();

  constructor(config: Settings, env: Environment) {
    const own = Object.entries(objectIn(config['environment_vars']));
    this.#values = { ...env, ...Object.fromEntries(own.map(([key, value]) => [key, String(value)])) };
  }

  /** A source with values in place of variables; those without a value stay. */
  fill(source: string, encode: (value: string) => string): string {
    return source.replace(variable, (whole, name: string) => {
      const value = this.#values[name];
      if (value === undefined) this.#missing.add(name);
      return value === undefined ? whole : encode(value);
    });
  }

  /** The variables without a value since the last call. */
  takeMissing(): string[] {
    const missing = [...this.#missing];
    this.#missing.clear();
    return missing;
  }
}

/** Of a variable in a source of go2rtc, which expects passwords percent-encoded. */
function encodedOnce(value: string): string {
  return /%[0-9a-f]{2}/i.test(value) ? value : encodeURIComponent(value);
}

/** Frigate takes the password in a path literally, up to the last @, and encodes it for FFmpeg. */
function withEncodedPassword(address: string): string {
  const start = address.indexOf('://') + '://'.length;
  const [colon, at] = [address.indexOf(':', start), address.lastIndexOf('@')];
  const hasPassword =
    start > 2 && colon > 0 && colon < at && /^[a-zA-Z0-9_-]+$/.test(address.slice(start, colon));
  if (!hasPassword) return address;
  return address.slice(0, colon + 1) + encodeURIComponent(address.slice(colon + 1, at)) + address.slice(at);
}
