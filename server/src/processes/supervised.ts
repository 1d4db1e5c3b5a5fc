import type { Clock } from '../base/clock.ts';
import { sendable, type SocketHandle } from '../base/socket-handle.ts';
import {
  inheritedDescriptor,
  inheritedVariable,
  type ProcessMessage,
  type Successor,
  type SupervisorMessage,
} from './supervised-process.ts';

const aliveMs = 1_000;

export interface SupervisedHandlers {
  /** The supervisor wants it to end, or is gone, so that nothing would start or stop this process any more. */
  readonly end: () => void;
  readonly reload?: () => void;
  /** See `SupervisorMessage`. */
  readonly engines?: (
    pids: Readonly<Record<string, number | null>>,
    crashed: readonly number[],
    dormant: readonly string[] | undefined,
    temporary: Successor | undefined,
  ) => void;
  /** Moves the streams of an engine to others; resolves to their number. */
  readonly replace?: (path: string, successors: readonly Successor[]) => Promise<number>;
  /** Another process of the supervisor has passed a connection. */
  readonly passed?: (message: unknown, handle: SocketHandle) => void;
}

/** What a supervised process says to its supervisor. */
export interface SupervisorLine {
  /** It does its work now. */
  ready(): void;
  /** The server must not run any more. */
  failed(): void;
  /** Gives the supervisor a copy of the listening socket, for the process that takes this one's place. */
  keep(address: string, handle: SocketHandle): void;
  /** Has the supervisor start an engine, by the path of its socket. */
  readonly wake: (path: string) => void;
  /** Has the supervisor start one engine more, unless there is such a one; `engines` says which it is. */
  readonly addEngine: () => void;
  /** Has the supervisor end that engine, by the path of its socket. */
  readonly endEngine: (path: string) => void;
  /**
   * Passes a connection to the process with this id. False if it could not be sent. This process's copy stays open until
   * it is closed.
   */
  readonly pass: (pid: number, message: unknown, handle: SocketHandle) => Promise<boolean>;
}

/** The side of a supervised process: signs of life, and what the supervisor wants. */
export function beSupervised(clock: Clock, handlers: SupervisedHandlers): SupervisorLine {
  const send = (message: ProcessMessage) => {
    if (process.connected) process.send?.(message, () => {});
  };
  process.on('message', (message: SupervisorMessage, handle?: unknown) => {
    switch (message.type) {
      case 'stop':
        handlers.end();
        return;
      case 'reload':
        handlers.reload?.();
        return;
      case 'engines':
        handlers.engines?.(message.pids, message.crashed, message.dormant, message.temporary);
        return;
      case 'passed':
        if (handle) handlers.passed?.(message.message, handle as SocketHandle);
        return;
      case 'replace': {
        const { id, path, successors } = message;
        handlers.replace?.(path, successors).then(
          (streams) => send({ type: 'replaced', id, streams }),
          (error: unknown) => send({ type: 'not-replaced', id, reason: String(error) }),
        );
      }
    }
  });
  process.once('disconnect', () => handlers.end());
  // The terminal sends these to all processes of its group: the supervisor decides.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => {});
  clock.every(aliveMs, () => send({ type: 'alive' }));
  const pass = (pid: number, message: unknown, handle: SocketHandle) =>
    new Promise<boolean>((resolve) => {
      const passing: ProcessMessage = { type: 'pass', pid, message };
      if (!process.connected || !process.send) resolve(false);
      else process.send(passing, sendable(handle), {}, (error) => resolve(error === null));
    });
  const keep = (address: string, handle: SocketHandle) => {
    const listening: ProcessMessage = { type: 'listening', address };
    if (process.connected) process.send?.(listening, sendable(handle), {}, () => {});
  };
  return {
    ready: () => send({ type: 'ready' }),
    failed: () => send({ type: 'failed' }),
    wake: (path) => send({ type: 'wake', path }),
    addEngine: () => send({ type: 'add-engine' }),
    endEngine: (path) => send({ type: 'end-engine', path }),
    ...{ pass, keep },
  };
}

/** The listening socket that this process inherits for an address, by its file descriptor. Its children don't. */
export function inheritedListener(address: string): number | undefined {
  const inherited = process.env[inheritedVariable];
  delete process.env[inheritedVariable];
  return inherited === address ? inheritedDescriptor : undefined;
}
