import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { type RecordedElsewhere, ReportedRecorders } from '../archive/archive.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import type { EngineLives } from '../engine/engine-lives.ts';
import { EngineProcesses } from '../engine/engine-processes.ts';
import { RemoteViewers, type PassConnection } from '../engine/remote-viewers.ts';
import { runIdIn } from '../engine/run-id.ts';
import type { LiveAudience } from '../live/live.ts';
import type { Foundation } from './foundation.ts';

/** The engine processes of this node, as its front sees them. */
export type Engines = Opened<Awaited<ReturnType<typeof openEngines>>>;

/** What a front needs to reach the engines of its server. */
export interface EngineHandles {
  /** The Unix socket of each. */
  readonly sockets: readonly string[];
  readonly lives: EngineLives;
  /** Has a dormant engine started, by the path of its socket. */
  readonly wake: (path: string) => void;
  /** See `TemporaryEngineOptions`. */
  readonly addEngine: () => void;
  readonly endEngine: (path: string) => void;
  /** Passes the connection of a viewer to an engine. */
  readonly pass: PassConnection;
}

/**
 * @param handles undefined where the streams run in this process
 * @param signal the engines are not waited for any more when it is aborted
 */
export function composeEngines(
  foundation: Foundation,
  handles: EngineHandles | undefined,
  signal: AbortSignal,
): Promise<Engines> {
  return opened((closers) => openEngines(foundation, handles, signal, closers));
}

const noAudience = (): LiveAudience | undefined => undefined;

async function openEngines(
  { clock, log, load }: Foundation,
  handles: EngineHandles | undefined,
  signal: AbortSignal,
  closers: Closer[],
) {
  const [first] = handles?.sockets ?? [];
  if (handles === undefined || first === undefined)
    return {
      ...{ processes: undefined, viewers: undefined, audienceOf: noAudience },
      ...{ reported: undefined, recordedElsewhere: undefined },
      runId: randomUUID(),
    };
  const { sockets: paths, lives, wake, addEngine, endEngine, pass } = handles;
  const viewers = new RemoteViewers({
    engineOf: (uid) => processes.viewerEngine(uid),
    pass,
    newId: randomUUID,
    clock,
    log,
  });
  const processes: EngineProcesses = await EngineProcesses.connect({
    ...{ paths, lives, wake, addEngine, endEngine, viewers, clock, log, load },
    signal,
  });
  closers.push(() => processes.close());
  const reported = new ReportedRecorders();
  const recordedElsewhere: RecordedElsewhere = {
    recorders: reported,
    locks: processes.locks,
    isRunning: (uid) => processes.isRunning(uid),
    areStopped: () => processes.areStopped(),
    noteDisk: (isInOrder) => processes.noteDisk(isInOrder),
    end: () => processes.endAll(),
  };
  const audienceOf = (uid: string) => viewers.audience(uid, processes.report(uid).audience);
  return { processes, viewers, audienceOf, reported, recordedElsewhere, runId: runIdIn(dirname(first)) };
}
