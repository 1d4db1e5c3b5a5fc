import { parse } from 'yaml';
import { Finding, objectIn, textIn, type Found } from './found-stream.ts';

const unitHours: Readonly<Record<string, number>> = { d: 24, h: 1, m: 1 / 60, s: 1 / 3600 };

/** Paths of MediaMTX (`mediamtx.yml`) that read from a source, with what `pathDefaults` says of them. */
export function readMediamtx(text: string): Found {
  const config = objectIn(parse(text));
  const defaults = objectIn(config['pathDefaults']);
  const finding = new Finding();
  for (const [name, value] of Object.entries(objectIn(config['paths']))) {
    const path = { ...defaults, ...objectIn(value) };
    const source = textIn(path['source']) ?? 'publisher';
    if (!name.startsWith('~')) addRecordings(finding, name, path);
    if (name.startsWith('~') || name === 'all' || name === 'all_others')
      finding.leave(`${name}: a pattern of paths has no address of its own.`);
    else if (source === 'publisher')
      finding.leave(`${name}: the camera publishes to MediaMTX. Add its own address, or that of MediaMTX.`);
    else
      finding.add({
        name,
        source,
        isRecorded: isYes(path['record']),
        isOnDemand: isYes(path['sourceOnDemand']),
        depthHours: hoursOf(textIn(path['recordDeleteAfter'])),
      });
  }
  return finding.found;
}

/** Where it writes unless the configuration says otherwise, relative to its folder. */
const recordPathDefault = './recordings/%path/%Y-%m-%d_%H-%M-%S-%f';

function addRecordings(finding: Finding, name: string, path: Readonly<Record<string, unknown>>): void {
  if (textIn(path['recordFormat']) === 'mpegts') {
    if (isYes(path['record']))
      finding.leave(`${name}: recordings in MPEG-TS can't be shown, only those in fmp4.`);
    return;
  }
  const recordPath = `${textIn(path['recordPath']) ?? recordPathDefault}.mp4`;
  finding.addCamera({ name, camera: name, recordPath });
}

function isYes(value: unknown): boolean {
  return value === true || value === 'yes';
}

/** Of a duration in Go's notation, as in `1d12h`; undefined for 0, which keeps everything. */
function hoursOf(text: string | undefined): number | undefined {
  const hours = [...(text ?? '').matchAll(/(\d{1,9}(?:\.\d{1,9})?)([dhms])/g)].reduce(
    (total, [, count = '0', unit = '']) => total + Number(count) * (unitHours[unit] ?? 0),
    0,
  );
  return hours === 0 ? undefined : hours;
}
