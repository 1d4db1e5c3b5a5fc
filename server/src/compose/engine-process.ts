import { pino } from 'pino';
import { lockWhenFree, openRecording } from '../archive/recording/recording.ts';
import { systemClock } from '../base/clock.ts';
import { deferredLog } from '../base/deferred-log.ts';
import type { HangWatch } from '../base/hang-watch.ts';
import { LoadLevel } from '../base/load-level.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import { redactingLog } from '../base/redacting-log.ts';
import { Assignments, type EngineParts } from '../engine/assignments.ts';
import type { EngineSetup, EngineVitals } from '../engine/engine-protocol.ts';
import { EngineServer } from '../engine/engine-server.ts';
import { EngineViewers } from '../engine/engine-viewers.ts';
import { StreamManager } from '../engine/stream-manager.ts';
import { Confinement, findConfinement } from '../ffmpeg/confinement.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';
import { SourceEngines } from '../ingest/source-engines.ts';
import { Live } from '../live/live.ts';
import { EventLoopWatch } from '../system/event-loop-watch.ts';

/** The engine of a server that was killed ends within this. */
const earlierEndsMs = 20_000;

/** An engine that runs. */
export type Engine = Opened<{ readonly viewers: EngineViewers }>;

/**
 * One engine process: it receives and records the streams that its front assigns to it, and serves their live video to
 * it. It knows no accounts, no database but the catalog of the archive, and listens on a Unix socket only. Closing it
 * puts every open GOP on the disk.
 * @param socket path of its Unix socket
 * @param lock path of the file that it holds locked for as long as it may record
 */
export function runEngine(socket: string, lock: string, hangWatch: HangWatch): Promise<Engine> {
  return opened((closers) => openEngine(socket, lock, hangWatch, closers));
}

async function openEngine(
  socket: string,
  lock: string,
  hangWatch: HangWatch,
  closers: Closer[],
): Promise<{ viewers: EngineViewers }> {
  const clock = systemClock;
  // Held by the engine of an earlier server that is still ending.
  const held = await lockWhenFree(lock, clock, earlierEndsMs);
  closers.push(() => held.release());
  const lines = pino({ base: null }, pino.destination({ dest: 2, sync: false }));
  const noted = redactingLog(lines, (...line) => server.noteLine(...line));
  const { log, flush } = deferredLog(noted, clock);
  const eventLoop = new EventLoopWatch(clock);
  const load = new LoadLevel();
  const assignments = new Assignments({
    open: (setup) => openStreams(setup),
    onProblem: (reason) => server.noteProblem(reason),
    ...{ clock, log },
  });
  const streamManager = () => assignments.streamManager;
  const viewers: EngineViewers = new EngineViewers({
    ...{ streamManager, live: new Live({ clock, log, load }), clock, log },
    report: (type, id) => server.noteViewer(type, id),
  });
  const server: EngineServer = new EngineServer({
    ...{ streamManager, commands: assignments, load, lock, viewers, clock, log },
    vitals: () => vitalsOf(eventLoop, assignments.backlogShare),
  });
  // After everything else, because it reports that everything is on the disk.
  closers.push(() => server.close(), flush);
  closers.push(() => eventLoop.close());

  async function openStreams(setup: EngineSetup): Promise<EngineParts> {
    const { archiveDir, catalog, noFramesMs, logLevel } = setup;
    lines.level = logLevel;
    const recording = await openRecording({ dir: archiveDir, catalog, clock, log, hangWatch });
    closers.push(() => recording.close());
    const pool = new FfmpegPool({ clock, log, confinement: await confinementOf(setup) });
    closers.push(() => pool.dispose('the engine stops'));
    const streamManager = new StreamManager({
      ...{ clock, log, load, noFramesMs, nextTurn: assignments.nextTurn },
      recorders: recording.recorders,
      engines: new SourceEngines({ clock, ffmpeg: pool }),
      peerFeed: relaysNothing,
      acquire: (uid) => assignments.epochOf(uid),
      permits: (uid, epoch) => assignments.permits(uid, epoch),
      reportElsewhere: () => undefined,
      onState: (uid) => server.noteState(uid),
      onMotion: (uid, event) => server.noteMotion(uid, event),
    });
    closers.push(() => streamManager.close());
    closers.push(() => assignments.end());
    return { recording, streamManager };
  }

  await server.listen(socket);
  closers.push(() => viewers.close());
  return { viewers };
}

async function confinementOf({ confinement }: EngineSetup): Promise<Confinement> {
  return confinement === undefined ? findConfinement() : new Confinement(confinement);
}

function relaysNothing(): never {
  throw new Error('an engine relays nothing');
}

function vitalsOf(eventLoop: EventLoopWatch, backlogShare: number): EngineVitals {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    memoryBytes: process.memoryUsage.rss(),
    eventLoopDelayMs: eventLoop.takeLongestMs(),
    uptimeSeconds: process.uptime(),
    backlogShare,
  };
}
