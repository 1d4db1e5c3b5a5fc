import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** How long a line waits at most, ms. */
const waitMs = 20;

export interface DeferredLog {
  readonly log: Log;
  /** Writes what waits. */
  readonly flush: () => void;
}

/**
 * A log whose lines, unless they are warnings or errors, are written a moment later: redacting and sending what the start of a
 * stream reports takes a tenth of the time to its first frame. The order is kept: a warning writes what waits before it.
 */
export function deferredLog(target: Log, clock: Clock): DeferredLog {
  let waiting: (() => void)[] = [];
  const flush = () => {
    const lines = waiting;
    waiting = [];
    for (const write of lines) write();
  };
  const defer = (write: () => void) => {
    if (waiting.length === 0) clock.after(waitMs, flush);
    waiting.push(write);
  };
  const into = (to: Log): Log => ({
    debug: (fields, message) => defer(() => to.debug(fields, message)),
    info: (fields, message) => defer(() => to.info(fields, message)),
    warn: (fields, message) => {
      flush();
      to.warn(fields, message);
    },
    error: (fields, message) => {
      flush();
      to.error(fields, message);
    },
    child: (fields) => into(to.child(fields)),
  });
  return { log: into(target), flush };
}
