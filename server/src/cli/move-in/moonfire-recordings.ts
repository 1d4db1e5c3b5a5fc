import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { KEY_TICKS } from '@vidette/media/mp4/remux';
import { type FoundFolder, type FoundRecording, hasEntries } from '../../archive/imported/imported.ts';
import { CATALOG_TIMESCALE, catalogTicks } from '../../archive/segments/segments.ts';
import type { MoonfireDatabase, MoonfireRecording, MoonfireStream } from '../../store/moonfire-database.ts';
import { ForeignConfigError, objectIn, textIn } from './found-stream.ts';
import type { CameraRecordings } from './recordings.ts';
import type { NoteLeftOut } from './recording-paths.ts';

const ticksPerMs = CATALOG_TIMESCALE / 1000;
/** When a recording can have been made. */
const years = { fromTicks: catalogTicks(Date.UTC(2000)), toTicks: catalogTicks(Date.UTC(2101)) };

/**
 * The recordings of streams of Moonfire NVR, whose files have names that its database gives them, and no boxes.
 * @param shown streams by the names of those here that get their recordings
 * @param named the folder with the files; if the database has several, the folder in which they are
 * @throws ForeignConfigError if that is no folder, or an empty one
 */
export async function moonfirePlaces(
  database: MoonfireDatabase,
  shown: ReadonlyMap<string, MoonfireStream>,
  named: string | undefined,
): Promise<CameraRecordings[]> {
  if (named !== undefined && !(await hasEntries(named)))
    throw new ForeignConfigError(`${named} is no folder that can be read and contains something.`);
  const folders = new Set([...shown.values()].map(folderOf).filter((folder) => folder !== undefined));
  const places: CameraRecordings[] = [];
  for (const [name, stream] of shown) {
    const own = folderOf(stream);
    if (own === undefined) continue;
    const folder = named === undefined ? own : folders.size > 1 ? join(named, basename(own)) : named;
    if (!(await hasEntries(folder))) continue;
    const root = await realpath(folder);
    places.push({ name, root, zone: null, list: (note) => listFiles(database, stream.id, note) });
  }
  return places;
}

function folderOf({ folderConfig }: MoonfireStream): string | undefined {
  return folderConfig === null ? undefined : textIn(objectIn(JSON.parse(folderConfig))['path']);
}

function* listFiles(
  database: MoonfireDatabase,
  streamId: number,
  note: NoteLeftOut,
): Generator<FoundFolder, void, undefined> {
  const recordings: FoundRecording[] = [];
  for (const recording of database.recordings(streamId)) {
    const { name, startTicks } = recording;
    if (startTicks < years.fromTicks || startTicks >= years.toTicks) note('its time is not valid', name);
    else recordings.push(foundRecording(database, recording));
  }
  if (recordings.length > 0) yield { folder: '', recordings };
}

/** Its times are on the grid of key frames, so that one begins where the one before it ends. */
function foundRecording(
  database: MoonfireDatabase,
  { name, startTicks, durationTicks }: MoonfireRecording,
): FoundRecording {
  const onGrid = (ticks: number) => Math.floor(ticks / KEY_TICKS) * KEY_TICKS;
  const fromTicks = onGrid(startTicks);
  const lastsTicks = Math.max(0, onGrid(startTicks + durationTicks) - fromTicks);
  const samples = () => {
    const found = database.samples(name);
    return found && { ...found, durationTicks: lastsTicks };
  };
  return { name, startsMs: [fromTicks / ticksPerMs], stepMs: 1, samples };
}
