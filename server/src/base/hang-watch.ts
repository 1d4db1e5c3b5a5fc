/**
 * Finds the stream whose data makes the main thread hang, in a loop that never ends or a regular expression that
 * backtracks: another thread notices that the main thread's timers no longer run, stops it with the debugger, asks which
 * stream the running code belongs to, and leaves a crash note. It does not end the process for that: one that goes on has
 * its note removed, and one that doesn't is killed by its supervisor a moment later.
 */
import type { Debugger, Session } from 'node:inspector';
import type { Cancel, Clock } from './clock.ts';
import { leaveCrashNote, removeCrashNote } from './crash-note.ts';
import { mainThreadOf, Silence } from './silence.ts';
import { currentStream } from './stream-context.ts';

/** Sent to the thread that watches. */
export interface HangWatch {
  /** One element, in shared memory, which the main thread increments. */
  readonly beats: Int32Array;
  /** Where the note is left; see `leaveCrashNote`. */
  readonly socket: string;
}

const periodMs = 500;
/** Before the supervisor notices it. */
const noteAfterMs = 1_500;
/** The supervisor has killed it by then, unless it is gone. */
const endAfterMs = 5_000;
/**
 * Between two callbacks the running code belongs to no stream: then the main thread goes on for a moment, and is paused
 * again, so often at most.
 */
const mostPauses = 20;
/** Under this symbol the global object of the main thread has `currentStream`. */
const streamKey = 'vidette.current-stream';

/** Has the main thread watched: what is returned belongs in `watchForHangs` of another thread. */
export function beWatchedForHangs(clock: Clock, socket: string): HangWatch {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  Object.defineProperty(globalThis, Symbol.for(streamKey), { value: currentStream });
  clock.every(periodMs, () => Atomics.add(beats, 0, 1));
  return { beats, socket };
}

/** Watches the main thread. */
export function watchForHangs(clock: Clock, { beats, socket }: HangWatch): Cancel {
  const silence = new Silence(periodMs, () => mainThreadOf(process.pid));
  let last = -1;
  let isHanging = false;
  return clock.every(periodMs, () => {
    const now = Atomics.load(beats, 0);
    if (now !== last) {
      if (isHanging) removeCrashNote(socket);
      last = now;
      isHanging = false;
      silence.end();
      return;
    }
    silence.go();
    if (!silence.reaches(noteAfterMs)) return;
    isHanging = true;
    // The request to pause is lost now and then: it is made again in each round.
    void noteHang(socket);
    if (silence.reaches(endAfterMs)) process.kill(process.pid, 'SIGKILL');
  });
}

function isOwn(file: string | undefined): boolean {
  return file?.startsWith('file:') === true;
}

async function noteHang(socket: string): Promise<void> {
  const inspector = await import('node:inspector');
  const session = new inspector.Session();
  session.connectToMainThread();
  const files = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => files.set(scriptId, url));
  let pauses = 0;
  session.on('Debugger.paused', ({ params: { callFrames } }) => {
    // The program's own code says more than a function of Node that it calls.
    const frame = callFrames.find(({ location }) => isOwn(files.get(location.scriptId))) ?? callFrames[0];
    const isLast = ++pauses >= mostPauses;
    if (frame) evaluateStream(session, frame, { socket, file: files.get(frame.location.scriptId), isLast });
    else session.disconnect();
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
}

interface PausedAt {
  readonly socket: string;
  readonly file: string | undefined;
  /** The note is left even if it names no stream. */
  readonly isLast: boolean;
}

/** The main thread is paused in that frame; ending the session lets it go on. */
function evaluateStream(
  session: Session,
  frame: Debugger.CallFrame,
  { socket, file = 'native code', isLast }: PausedAt,
): void {
  const request: Debugger.EvaluateOnCallFrameParameterType = {
    callFrameId: frame.callFrameId,
    expression: `globalThis[Symbol.for(${JSON.stringify(streamKey)})]()`,
    returnByValue: true,
  };
  session.post('Debugger.evaluateOnCallFrame', request, (_, answer) => {
    // Undefined after an error.
    const stream: unknown = answer?.result.value;
    if (typeof stream !== 'string' && !isLast) {
      session.post('Debugger.resume');
      session.post('Debugger.pause');
      return;
    }
    const at = `${frame.functionName || 'a function'} at ${file}:${frame.location.lineNumber + 1}`;
    leaveCrashNote(socket, {
      uid: typeof stream === 'string' ? stream : undefined,
      message: `the process did not respond: it was busy in ${at}`,
    });
    session.disconnect();
  });
}
