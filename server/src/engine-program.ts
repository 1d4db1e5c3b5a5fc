/** An engine process. Arguments: the path of its Unix socket, and that of its lock. */
import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { SocketHandle } from './base/socket-handle.ts';
import type { Engine } from './compose/engine-process.ts';
import type { PassedViewer } from './engine/viewer-protocol.ts';
import { collectStartGarbage, endWith, OrderlyEnd } from './program.ts';

// For this process only (see ProcessSupervisor): its media processes need other sizes.
delete process.env['MALLOC_MMAP_THRESHOLD_'];

try {
  const { systemClock } = await import('./base/clock.ts');
  const { beSupervised } = await import('./processes/supervised.ts');
  const { enginePriority, takePriority } = await import('./base/process-priority.ts');
  takePriority(enginePriority);
  const { leaveCrashNote } = await import('./base/crash-note.ts');
  const { currentStream } = await import('./base/stream-context.ts');
  const { beWatchedForHangs } = await import('./base/hang-watch.ts');
  const { runEngine } = await import('./compose/engine-process.ts');
  const [socket = '', lock = ''] = process.argv.slice(2);
  // An error that nothing catches ends the engine; the stream that it belongs to is noted.
  const crash = (error: unknown): never => {
    leaveCrashNote(socket, { uid: currentStream(), message: String(error) });
    return endWith(error);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  const engine: { starting?: Promise<Engine> } = {};
  const ending = new OrderlyEnd();
  // The supervisor removes the folder, unless it was killed; the last engine does then.
  const removeFolder = () => rmdir(dirname(socket)).catch(() => undefined);
  const take = (viewer: PassedViewer, handle: SocketHandle) => {
    // A front passes viewers only to an engine that has greeted it.
    if (engine.starting) void engine.starting.then(({ viewers }) => viewers.take(viewer, handle));
    else handle.close();
  };
  const line = beSupervised(systemClock, {
    end: () => ending.begin(engine.starting, removeFolder),
    passed: (viewer, handle) => take(viewer as PassedViewer, handle),
  });
  const hangWatch = beWatchedForHangs(systemClock, socket);
  // Left behind by an engine that was killed.
  await rm(socket, { force: true });
  engine.starting = runEngine(socket, lock, hangWatch);
  await engine.starting;
  line.ready();
  collectStartGarbage(systemClock, { isReceiving: true });
  // Samples live as long as their GOP, so that V8 moves them to its old generation, which may then grow by 8 MB until it is
  // collected; this makes it 2 MB. Given to the process as an option it would also bound the young generation to 1 MB.
  setFlagsFromString('--optimize-for-size');
} catch (error) {
  endWith(error);
}
