import { parse } from 'yaml';
import { Finding, listIn, numberIn, objectIn, textIn, type Found } from './found-stream.ts';

/** As in `{FRIGATE_RTSP_PASSWORD}`. */
const variable = /\{(FRIGATE_[A-Z0-9_]+)\}/g;

/**
 * Cameras of Frigate (`config.yml`, versions 0.12 to 0.17): the input for recording, that for detection as sub-stream, zones as
 * tags, and how long all recordings are kept. Addresses of its own go2rtc are replaced by what go2rtc reads.
 */
export function readFrigate(text: string, env: Readonly<Record<string, string | undefined>>): Found {
  const config = objectIn(parse(text));
  const finding = new Finding();
  const restreams = objectIn(objectIn(config['go2rtc'])['streams']);
  const resolve = (path: string | undefined) => withVariables(restreamed(path, restreams), env, finding);
  for (const [id, value] of Object.entries(objectIn(config['cameras']))) {
    const camera = objectIn(value);
    const inputs = listIn(objectIn(camera['ffmpeg'])['inputs']).map(objectIn);
    const withRole = (role: string) => inputs.find(({ roles }) => listIn(roles).includes(role));
    const main = withRole('record') ?? inputs[0];
    const sub = withRole('detect');
    const record = { ...objectIn(config['record']), ...objectIn(camera['record']) };
    if (camera['enabled'] === false)
      finding.leave(`${id}: the camera is disabled; it is added, but not recorded.`);
    const name = textIn(camera['friendly_name']) ?? id;
    finding.addCamera({ name, camera: id });
    finding.add({
      name,
      source: resolve(textIn(main?.['path'])),
      subSource: sub === main ? undefined : resolve(textIn(sub?.['path'])),
      tags: Object.keys(objectIn(camera['zones'])),
      isRecorded: record['enabled'] === true && camera['enabled'] !== false,
      depthHours: daysOf(record),
    });
  }
  for (const [key, what] of Object.entries(notTaken))
    if (config[key] !== undefined) finding.leave(`${what} can't be taken over.`);
  return finding.found;
}

const notTaken = {
  detectors: 'The detectors',
  mqtt: 'The connection to an MQTT broker',
  birdseye: 'Birdseye',
  auth: 'Users and passwords',
};

/** Hours that all recordings are kept; undefined where only those of events are. */
function daysOf(record: Readonly<Record<string, unknown>>): number | undefined {
  const days =
    numberIn(objectIn(record['continuous'])['days']) ??
    numberIn(objectIn(record['retain'])['days']) ??
    numberIn(record['retain_days']);
  return days === undefined || days === 0 ? undefined : days * 24;
}

/** What go2rtc reads, for an address of go2rtc on the same machine. */
function restreamed(
  path: string | undefined,
  streams: Readonly<Record<string, unknown>>,
): string | undefined {
  const name = /^rtsp:\/\/(?:127\.0\.0\.1|localhost):8554\/([^?#]+)/.exec(path ?? '')?.[1];
  if (name === undefined) return path;
  const sources = streams[name];
  const first = textIn(Array.isArray(sources) ? sources[0] : sources);
  // `ffmpeg:` reads another address through FFmpeg; what follows # are options.
  return first?.replace(/^ffmpeg:/, '').split('#', 1)[0];
}

function withVariables(
  source: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  finding: Finding,
): string | undefined {
  return source?.replace(variable, (whole, name: string) => {
    const value = env[name];
    if (value === undefined) finding.leave(`${name} is not set in the environment: set it as for Frigate.`);
    return value === undefined ? whole : encodeURIComponent(value);
  });
}
