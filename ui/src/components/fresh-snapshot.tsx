import { ApiError } from '@vidette/contract/client';
import { useEffect, useState } from 'react';
import { useI18n } from '../i18n/i18n-context.tsx';
import classes from './fresh-snapshot.module.css';
import { LastFrameText } from './last-frame-text.tsx';

/**
 * Fetches a snapshot; the same function identity as long as the snapshot is of the same thing. `ageMs`: its age
 * on arrival.
 */
export type LoadSnapshot = (signal: AbortSignal) => Promise<{ readonly blob: Blob; readonly ageMs: number }>;

/** The state of a snapshot that is refetched repeatedly. */
export interface FreshStill {
  /** URL of the image; null before the first. */
  readonly source: string | null;
  /** When it was captured, when that is too long ago to pass for current; undefined otherwise. */
  readonly old: OldSnapshot | undefined;
  /** The server takes none now because it is overloaded. */
  readonly isDeferred: boolean;
}

interface OldSnapshot {
  /** By this browser's clock, ms since the epoch. */
  readonly utcMs: number;
  readonly ageMs: number;
}

/** Snapshots older than this show their age, ms: some intervals in which a list fetches them. */
export const OLD_MS = 15_000;
const LOOK_MS = 1000;

/** A snapshot, and when it was captured. */
export interface KeptStill {
  readonly blob: Blob;
  /** By this browser's clock, ms since the epoch. */
  readonly takenMs: number;
}

/** Keeps the last snapshot of something while it is not on screen; the same object for the same thing. */
export interface StillKeeper {
  readonly last: () => KeptStill | undefined;
  readonly keep: (still: KeptStill) => void;
}

/** Without any snapshot, another attempt is made after this time, ms. */
const RETRY_MS = 10_000;

interface Shown {
  readonly source: string;
  /** By this browser's clock, ms since the epoch. */
  readonly takenMs: number;
}

/**
 * A snapshot that is refetched while the tab is visible. The previous one stays until its successor is decoded,
 * so nothing flickers; if a fetch fails, the previous one stays and ages. A kept one is shown immediately, with
 * its age.
 * @param everyMs refetch this long after the last one arrived; null to fetch until there is one
 * @param oldAfterMs an older one shows its age, ms
 */
export function useFreshStill(
  load: LoadSnapshot,
  everyMs: number | null,
  oldAfterMs = OLD_MS,
  keeper?: StillKeeper,
): FreshStill {
  const [shown, setShown] = useState<Shown | null>(null);
  const [old, setOld] = useState<OldSnapshot>();
  const [isDeferred, setDeferred] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let address: string | null = null;
    const show = async ({ blob, takenMs }: KeptStill) => {
      const source = URL.createObjectURL(blob);
      const image = new Image();
      image.src = source;
      await image.decode();
      if (abort.signal.aborted) return URL.revokeObjectURL(source);
      setShown({ source, takenMs });
      if (address) URL.revokeObjectURL(address);
      address = source;
    };
    const run = async () => {
      if (!document.hidden) {
        try {
          const { blob, ageMs } = await load(abort.signal);
          const still = { blob, takenMs: Date.now() - ageMs };
          await show(still);
          keeper?.keep(still);
          setDeferred(false);
        } catch (error) {
          // No snapshot yet, or no longer: the next turn tries again, and the one on screen shows its age.
          if (!abort.signal.aborted)
            setDeferred(error instanceof ApiError && error.code === 'ServerOverloaded');
        }
      }
      const nextMs = everyMs ?? (address === null ? RETRY_MS : null);
      if (nextMs !== null && !abort.signal.aborted) timer = setTimeout(() => void run(), nextMs);
    };
    const kept = keeper?.last();
    void (kept ? show(kept).then(run, run) : run());
    return () => {
      abort.abort();
      clearTimeout(timer);
      if (address) URL.revokeObjectURL(address);
    };
  }, [load, everyMs, keeper]);
  useEffect(() => {
    if (!shown) return;
    const look = () => {
      const ageMs = Date.now() - shown.takenMs;
      setOld(ageMs > oldAfterMs ? { utcMs: shown.takenMs, ageMs } : undefined);
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [shown, oldAfterMs]);
  return { source: shown?.source ?? null, old, isDeferred };
}

/** The image itself; an old one is dimmed. */
export function StillImage({ still }: { still: FreshStill }) {
  if (still.source === null) return null;
  return (
    <img
      src={still.source}
      alt=""
      className={classes.picture}
      data-picture="fresh"
      data-old={still.old !== undefined}
    />
  );
}

/** When an old snapshot was captured, over it; nothing over a current one. */
export function SnapshotAge({ still }: { still: FreshStill }) {
  return (
    still.old && (
      <span className={classes.age}>
        <LastFrameText {...still.old} />
      </span>
    )
  );
}

interface FreshSnapshotProps {
  readonly load: LoadSnapshot;
  /** Refetch this long after the last one arrived, ms; null to fetch only once. */
  readonly everyMs: number | null;
}

/** A snapshot that is kept fresh, and shows its age when it is old. */
export function FreshSnapshot({ load, everyMs }: FreshSnapshotProps) {
  const i18n = useI18n();
  const still = useFreshStill(load, everyMs);
  const isMissing = still.source === null && still.isDeferred;
  return (
    <>
      <StillImage still={still} />
      {everyMs !== null && <SnapshotAge still={still} />}
      {isMissing && <span className={classes.age}>{i18n.t('streams.picture.deferred')}</span>}
    </>
  );
}
