import type { ErrorCode } from '@vidette/contract/errors';

interface SharedViewer {
  end(code: ErrorCode): void;
}

/** Who watches by public links, by the stream's uid. They have no account: a link that is revoked is all they can lose. */
export class SharedViewers {
  readonly #viewers = new Map<string, Set<SharedViewer>>();

  /** Returns what is to be called when the viewer leaves. */
  add(uid: string, viewer: SharedViewer): () => void {
    const viewers = this.#viewers.get(uid) ?? new Set();
    this.#viewers.set(uid, viewers.add(viewer));
    return () => {
      viewers.delete(viewer);
      if (viewers.size === 0 && this.#viewers.get(uid) === viewers) this.#viewers.delete(uid);
    };
  }

  count(uid: string): number {
    return this.#viewers.get(uid)?.size ?? 0;
  }

  /** Cuts everybody who watches the stream by its link. */
  revoke(uid: string): void {
    for (const viewer of this.#viewers.get(uid) ?? []) viewer.end('NotFound');
  }
}
