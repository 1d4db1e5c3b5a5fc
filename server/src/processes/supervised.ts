import type { Clock } from '../base/clock.ts';
import type { ProcessMessage, SupervisorMessage } from './supervised-process.ts';

const aliveMs = 500;

export interface SupervisedHandlers {
  readonly stop: () => void;
  readonly reload?: () => void;
  /** See `SupervisorMessage`. */
  readonly engines?: (pids: readonly (number | null)[]) => void;
  /** The supervisor is gone: nothing would start or stop this process any more. */
  readonly orphaned: () => void;
}

/** What a supervised process says to its supervisor. */
export interface SupervisorLine {
  /** It does its work now. */
  ready(): void;
  /** The server must not run any more. */
  failed(): void;
}

/** The side of a supervised process: signs of life, and what the supervisor wants. */
export function beSupervised(clock: Clock, handlers: SupervisedHandlers): SupervisorLine {
  const send = (message: ProcessMessage) => {
    if (process.connected) process.send?.(message, () => {});
  };
  process.on('message', (message: SupervisorMessage) => {
    switch (message.type) {
      case 'stop':
        handlers.stop();
        return;
      case 'reload':
        handlers.reload?.();
        return;
      case 'engines':
        handlers.engines?.(message.pids);
    }
  });
  process.once('disconnect', () => handlers.orphaned());
  // The terminal sends these to all processes of its group: the supervisor decides.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => {});
  clock.every(aliveMs, () => send({ type: 'alive' }));
  return { ready: () => send({ type: 'ready' }), failed: () => send({ type: 'failed' }) };
}
