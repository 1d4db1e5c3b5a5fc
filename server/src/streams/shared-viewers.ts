import type { ErrorCode } from '@vidette/contract/errors';
import type { Log } from '../base/log.ts';
import type { Streams } from '../store/streams.ts';

interface SharedViewer {
  end(code: ErrorCode): void;
}

export interface SharedViewersOptions {
  readonly streams: Pick<Streams, 'byShareKey'>;
  readonly log: Log;
}

/**
 * Viewers by public link, by the stream's uid and the key of the link. They have no account: they lose access
 * only when the link is revoked.
 */
export class SharedViewers {
  readonly #options: SharedViewersOptions;
  readonly #viewers = new Map<string, Map<SharedViewer, string>>();
  #isBlind = false;

  constructor(options: SharedViewersOptions) {
    this.#options = options;
  }

  /**
   * Authorises the viewer again, because the link may have been revoked while they were admitted. Returns a
   * function to call when they leave.
   */
  add(uid: string, key: string, viewer: SharedViewer): () => void {
    const viewers = this.#viewers.get(uid) ?? new Map<SharedViewer, string>();
    this.#viewers.set(uid, viewers.set(viewer, key));
    void this.#review(uid, key);
    return () => {
      viewers.delete(viewer);
      if (viewers.size === 0 && this.#viewers.get(uid) === viewers) this.#viewers.delete(uid);
    };
  }

  count(uid: string): number {
    return this.#viewers.get(uid)?.size ?? 0;
  }

  /** To be called when the stream's link was revoked or created again, on this or another node. */
  review(uid: string): void {
    for (const key of new Set(this.#viewers.get(uid)?.values())) void this.#review(uid, key);
  }

  /** To be called when anything may have changed. */
  reviewAll(): void {
    this.#isBlind = false;
    for (const uid of this.#viewers.keys()) this.review(uid);
  }

  /** To be called when changes can't be followed: no viewer is served until `reviewAll`. */
  endAll(): void {
    this.#isBlind = true;
    for (const [uid, viewers] of this.#viewers) {
      for (const key of new Set(viewers.values())) this.#end(uid, key, 'Unavailable');
    }
  }

  /** Never rejects. */
  async #review(uid: string, key: string): Promise<void> {
    const { streams, log } = this.#options;
    try {
      const stream = await streams.byShareKey(key);
      if (this.#isBlind) this.#end(uid, key, 'Unavailable');
      else if (stream?.uid !== uid) this.#end(uid, key, 'NotFound');
    } catch (error) {
      // While the database is unavailable this node can't detect a revoked link; the access feed reports when
      // one is possible.
      log.warn({ err: error, stream: uid }, 'A public link could not be read');
      if (this.#isBlind) this.#end(uid, key, 'Unavailable');
    }
  }

  #end(uid: string, key: string, code: ErrorCode): void {
    for (const [viewer, of] of this.#viewers.get(uid) ?? []) if (of === key) viewer.end(code);
  }
}
