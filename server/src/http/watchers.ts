import type { StreamRight } from '@vidette/contract/call';
import type { Doorkeeper } from '../access/doorkeeper.ts';
import type { Principal } from '../access/principal.ts';
import { requireStreamRight } from '../access/stream-policy.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../store/store.ts';
import type { ErrorCode } from '@vidette/contract/errors';

/** Somebody who watches a stream, and what cuts them. */
export interface Watcher {
  readonly principal: Principal;
  readonly uid: string;
  readonly right: StreamRight;
  readonly end: (code: ErrorCode) => void;
}

export interface WatchersOptions {
  readonly store: Store;
  readonly doorkeeper: Doorkeeper;
  readonly log: Log;
}

/** Who watches what over a connection that lasts. When rights change, those who lost theirs are cut at once [R4.4]. */
export class Watchers {
  readonly #options: WatchersOptions;
  readonly #watchers = new Set<Watcher>();
  readonly #stopListening: () => void;

  constructor(options: WatchersOptions) {
    this.#options = options;
    this.#stopListening = options.doorkeeper.onAccessChange(({ userId }) => {
      this.#review((watcher) => watcher.principal.user.id === userId);
    });
  }

  /** Returns what is to be called when the watcher leaves. */
  add(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Rights on a stream changed, or it was removed. */
  reviewStream(uid: string): void {
    this.#review((watcher) => watcher.uid === uid);
  }

  close(): void {
    this.#stopListening();
  }

  #review(isMeant: (watcher: Watcher) => boolean): void {
    for (const watcher of this.#watchers) {
      if (!isMeant(watcher)) continue;
      this.judge(watcher).then(
        (code) => {
          if (code !== undefined) watcher.end(code);
        },
        (error: unknown) => {
          // Whoever can't be judged is not served on.
          this.#options.log.error({ error }, 'the rights of a viewer could not be looked up');
          watcher.end('InternalServerError');
        },
      );
    }
  }

  /** The code of why somebody may not watch, or not go on; undefined when they may. */
  async judge({ principal, uid, right }: Omit<Watcher, 'end'>): Promise<ErrorCode | undefined> {
    const { store, doorkeeper } = this.#options;
    if (!(await doorkeeper.isStillWelcome(principal))) return 'AuthorizationRequired';
    const user = await store.users.byId(principal.user.id);
    const isAdmin = user?.is_admin === 1;
    const seen = await store.streamList.find({ userId: principal.user.id, isAdmin }, uid);
    try {
      requireStreamRight({ ...principal, isAdmin }, seen, right);
      return undefined;
    } catch (error) {
      if (error instanceof Fault) return error.code;
      throw error;
    }
  }
}
