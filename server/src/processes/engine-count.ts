import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from '../config/schema.ts';

/** With `auto` an engine takes this many recorded streams before there is another one. */
const streamsPerEngine = 50;

/** The engine processes of a server. */
export interface EngineNumbers {
  /** How many there are; 0: streams run in the process that serves everything else. */
  readonly engines: number;
  /** They are started only when there is a stream: it has never recorded one. */
  readonly areDormant: boolean;
}

/** How many engine processes this server has. With a number in the configuration all of them are started. */
export async function engineNumbers(
  config: Pick<Config, 'engine' | 'dataDir' | 'archive'>,
): Promise<EngineNumbers> {
  const { engine, dataDir, archive } = config;
  if (engine.processes !== 'auto') return { engines: engine.processes, areDormant: false };
  const streams = await recordedStreams(resolve(dataDir, archive.folder ?? 'archive'));
  return { engines: enginesFor(streams, availableParallelism()), areDormant: streams === 0 };
}

/** One engine on a small machine; with more streams as many as it has cores at most. */
export function enginesFor(streams: number, cores: number): number {
  return Math.min(Math.max(Math.ceil(streams / streamsPerEngine), 1), cores);
}

/** Each recorded stream has a folder. The database is not asked: it may not be there, or not be up to date, before the front runs. */
async function recordedStreams(folder: string): Promise<number> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).length;
  } catch (error) {
    // A new archive, or one whose disk is missing: the front says so.
    if ((error as NodeJS.ErrnoException).code !== undefined) return 0;
    throw error;
  }
}
