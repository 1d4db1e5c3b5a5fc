import { Finding, listIn, numberIn, objectIn, textIn, type Found } from './found-stream.ts';
import type { RecordPath } from './recording-template.ts';

/** Below the folder of all recordings. */
export const shinobiTemplate = '%path/%Y-%m-%dT%H-%M-%S.mp4';

/** Monitors that Shinobi exports as JSON: one of them, a list, or `{monitors: [...]}`. */
export function readShinobi(text: string): Found {
  const value: unknown = JSON.parse(text);
  const monitors = Array.isArray(value) ? value : listIn(objectIn(value)['monitors']);
  const finding = new Finding();
  for (const one of monitors.length > 0 ? monitors : [value]) {
    const monitor = objectIn(one);
    const details = detailsOf(monitor['details']);
    const mode = textIn(monitor['mode']);
    const [group, id] = [textIn(monitor['ke']), textIn(monitor['mid'])];
    const name = textIn(monitor['name']) ?? id ?? '';
    if (group !== undefined && id !== undefined)
      finding.addCamera({ name, camera: `${group}/${id}`, recordPath: recordPathIn(details) });
    finding.add({
      name,
      source: textIn(details['auto_host']) ?? addressOf(monitor, details),
      subSource: textIn(objectIn(objectIn(details['substream'])['input'])['fulladdress']),
      tags: (textIn(monitor['tags']) ?? '').split(','),
      isRecorded: mode === 'record',
      depthHours: daysOf(details),
    });
  }
  return finding.found;
}

/** Of a monitor with a folder of its own. */
function recordPathIn(details: Readonly<Record<string, unknown>>): RecordPath | undefined {
  const folder = textIn(details['dir'])?.replace(/\/$/, '');
  return folder?.startsWith('/') ? { path: `${folder}/${shinobiTemplate}`, others: [] } : undefined;
}

/** An object, or one as text. */
function detailsOf(value: unknown): Readonly<Record<string, unknown>> {
  return objectIn(typeof value === 'string' ? JSON.parse(value) : value);
}

function daysOf(details: Readonly<Record<string, unknown>>): number | undefined {
  const days = numberIn(details['max_keep_days']);
  return days === undefined || days === 0 ? undefined : days * 24;
}

function addressOf(
  monitor: Readonly<Record<string, unknown>>,
  details: Readonly<Record<string, unknown>>,
): string | undefined {
  const host = textIn(monitor['host']);
  if (host === undefined) return undefined;
  const [user, password] = [textIn(details['muser']), textIn(details['mpass'])];
  const login =
    user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`;
  const port = numberIn(monitor['port']);
  return `${textIn(monitor['protocol']) ?? 'rtsp'}://${login}${host}${port === undefined ? '' : `:${port}`}${textIn(monitor['path']) ?? ''}`;
}
