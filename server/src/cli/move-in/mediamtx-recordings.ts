import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Finding, type Found } from './found-stream.ts';
import { addPath, type MediamtxConfig, readMediamtx, recordPathOf, settingsOf } from './mediamtx.ts';
import type { RecordingLayout } from './recording-paths.ts';
import { cameraFinder, type RecordPath } from './recording-template.ts';
import { recordPathLayout } from './recordings.ts';

/** Folders in which paths are looked for; a year of ten cameras with a folder for each hour has 90 000. */
const foldersMax = 500_000;
/** Parts of a path below the folder of all recordings. */
const depthMax = 32;
/** Paths that are named one by one where the configuration doesn't know them. */
const unknownMax = 20;
/** What MediaMTX accepts as the name of a path. */
const validName = /^[0-9A-Za-z_\-./]+$/;

/**
 * The paths of a `mediamtx.yml`. A pattern stands for the paths that cameras have published or MediaMTX has read; those with
 * recordings are known by their folders.
 * @param file the configuration's, for relative record paths
 * @param recordings the folder that the command names; null: recordings are not looked for
 * @throws ForeignConfigError
 */
export async function findMediamtx(
  text: string,
  file: string,
  recordings: string | null | undefined,
): Promise<Found> {
  const config = readMediamtx(text);
  const finding = new Finding();
  for (const reason of config.left) finding.leave(reason);
  for (const { name, pattern, settings } of config.paths)
    if (!pattern) addRecorded(finding, config, name, recordPathOf(settings));
  const found = new Set<string>();
  const unknown = new Set<string>();
  for (const recordPath of recordings === null ? [] : recordPaths(config)) {
    const layout = await recordPathLayout(recordPath, file, recordings ?? undefined);
    for (const name of layout ? await recordedNames(layout, finding) : []) {
      const entry = settingsOf(config, name)?.entry;
      if (!entry) unknown.add(name);
      else if (entry.pattern && recordPathOf(entry.settings).path === recordPath.path) {
        found.add(entry.name);
        addRecorded(finding, config, name, recordPath);
      }
    }
  }
  for (const name of [...unknown].slice(0, unknownMax))
    finding.leave(`${name}: there are recordings, but the configuration has no such path.`);
  if (unknown.size > unknownMax)
    finding.leave(
      `${unknown.size - unknownMax} more paths with recordings that the configuration does not have.`,
    );
  for (const { name, pattern } of config.paths)
    if (pattern && !found.has(name)) finding.leave(`${name}: ${patternReason(recordings)}`);
  return finding.found;
}

function patternReason(recordings: string | null | undefined): string {
  return recordings === null
    ? 'a pattern of paths; the paths that it stands for are known by their recordings only.'
    : 'a pattern of paths; there are no recordings of any path that it stands for.';
}

function addRecorded(finding: Finding, config: MediamtxConfig, name: string, recordPath: RecordPath): void {
  addPath(finding, config, name);
  finding.addCamera({ name, camera: name, recordPath });
}

/** Each place of recordings once. */
function recordPaths({ paths }: MediamtxConfig): RecordPath[] {
  const byPath = new Map(paths.map(({ settings }) => recordPathOf(settings)).map((one) => [one.path, one]));
  return [...byPath.values()];
}

/** The names of paths that have recordings, sorted. */
async function recordedNames(layout: Omit<RecordingLayout, 'zone'>, finding: Finding): Promise<string[]> {
  const folderTemplate = layout.template.slice(0, layout.template.lastIndexOf('/') + 1);
  const templates = [layout.template, ...(layout.others ?? []).map(({ name }) => folderTemplate + name)];
  const finders = templates.map(cameraFinder);
  const nameOf = (path: string) => finders.map((find) => find(path)).find((name) => name !== undefined);
  // Every recording in a folder is of one path, unless file names say which.
  const isByFolder = folderTemplate.includes('%path');
  const names = new Set<string>();
  const folders = [''];
  for (let at = 0; at < folders.length; at++) {
    const folder = folders[at] ?? '';
    let isKnown = false;
    for (const entry of await entriesOf(join(layout.root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && path.split('/').length < depthMax) folders.push(path);
      else if (entry.isFile() && !(isKnown && isByFolder)) {
        const name = nameOf(path);
        isKnown = name !== undefined;
        if (name !== undefined && isValid(name)) names.add(name);
      }
    }
    if (folders.length <= foldersMax) continue;
    finding.leave(`${layout.root} has more than ${foldersMax} folders: some paths may be missing.`);
    break;
  }
  return [...names].sort();
}

function isValid(name: string): boolean {
  return validName.test(name) && name.split('/').every((part) => !['', '.', '..'].includes(part));
}

/** None in a folder that can't be read: the recordings of its camera say so. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return [];
  }
}
