import { type RecordedElsewhere, ReportedRecorders } from '../archive/archive.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import { EngineProcesses } from '../engine/engine-processes.ts';
import type { Foundation } from './foundation.ts';

/** The engine processes of this node, as its front sees them. */
export type Engines = Opened<Awaited<ReturnType<typeof openEngines>>>;

/** @param paths The Unix socket of each engine; empty where the streams run in this process. */
export function composeEngines(foundation: Foundation, paths: readonly string[]): Promise<Engines> {
  return opened((closers) => openEngines(foundation, paths, closers));
}

async function openEngines({ clock, log }: Foundation, paths: readonly string[], closers: Closer[]) {
  if (paths.length === 0) return { processes: undefined, reported: undefined, recordedElsewhere: undefined };
  const processes = await EngineProcesses.connect({ paths, clock, log });
  closers.push(() => processes.close());
  const reported = new ReportedRecorders();
  const recordedElsewhere: RecordedElsewhere = {
    recorders: reported,
    processes: paths.length,
    isRunning: (uid) => processes.isRunning(uid),
    areStopped: () => processes.areStopped(),
  };
  return { processes, reported, recordedElsewhere };
}
