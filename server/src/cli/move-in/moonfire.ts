import { dirname, resolve } from 'node:path';
import type { MoonfireStream } from '../../store/moonfire-database.ts';
import {
  Finding,
  ForeignConfigError,
  numberIn,
  objectIn,
  shownName,
  textIn,
  type Found,
} from './found-stream.ts';

/** What was found in a database of Moonfire NVR. */
export interface FoundMoonfire extends Found {
  /** By the name of the stream here: the one whose recordings it gets. */
  readonly recorded: ReadonlyMap<string, MoonfireStream>;
}

/** Cameras of Moonfire NVR (schema 7): the stream `main`, `sub` as sub-stream. It keeps recordings by size, not by age. */
export function readMoonfire(streams: readonly MoonfireStream[]): FoundMoonfire {
  const finding = new Finding();
  const recorded = new Map<string, MoonfireStream>();
  for (const [name, of] of Object.entries(Object.groupBy(streams, ({ camera }) => camera))) {
    const byType = new Map((of ?? []).map((stream) => [stream.type, stream]));
    const main = byType.get('main') ?? of?.[0];
    if (!main) continue;
    const sub = byType.get('sub');
    const config = objectIn(JSON.parse(main.config));
    finding.add({
      name,
      source: addressOf(main),
      subSource: sub && sub !== main ? addressOf(sub) : undefined,
      isRecorded: config['mode'] === 'record',
    });
    const bytes = numberIn(config['retainBytes']);
    if (bytes !== undefined && bytes > 0)
      finding.leave(
        `${name}: ${(bytes / 1e9).toFixed(1)} GB of recordings are kept; Vidette keeps them by age and by the disk's space.`,
      );
    recorded.set(shownName(name), main);
    if (sub && sub !== main && objectIn(JSON.parse(sub.config))['mode'] === 'record')
      finding.leave(
        `${name}: recordings of its sub-stream are left out; those of the main stream are shown.`,
      );
    if (byType.has('ext')) finding.leave(`${name}: its third stream (ext) is left out.`);
  }
  return { ...finding.found, recorded };
}

/**
 * Where the configuration of Moonfire NVR, `/etc/moonfire-nvr.toml`, says that the database is: in the folder of the top-level
 * key `dbDir`.
 * @throws ForeignConfigError
 */
export function moonfireDatabaseIn(toml: string, file: string): string {
  const [top = ''] = toml.split(/^\s*\[/m);
  const [, basic, literal] =
    /^[ \t]*(?:dbDir|"dbDir"|'dbDir')[ \t]*=[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')/m.exec(top) ?? [];
  if (basic === undefined && literal === undefined && /^[ \t]*["']?dbDir\b/m.test(top))
    throw new ForeignConfigError('dbDir is not a path in quotes');
  const folder = basic === undefined ? literal : escaped(basic);
  return resolve(dirname(file), folder ?? '/var/lib/moonfire-nvr/db', 'db');
}

/** A string of TOML; the escapes that paths may have are those of JSON. */
function escaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch (cause) {
    throw new ForeignConfigError('dbDir has unknown escapes', { cause });
  }
}

/** The login is that of the camera. */
function addressOf({ config, cameraConfig }: MoonfireStream): string | undefined {
  const url = textIn(objectIn(JSON.parse(config))['url']);
  const camera = objectIn(JSON.parse(cameraConfig));
  const user = textIn(camera['username']);
  if (url === undefined || user === undefined || !URL.canParse(url) || url.includes('@')) return url;
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(textIn(camera['password']) ?? '')}`;
  return url.replace('://', `://${login}@`);
}
