import { useEffect, useState } from 'react';
import { useI18n } from '../i18n/i18n-context.tsx';
import type { I18n } from '../i18n/i18n.ts';
import classes from './fresh-snapshot.module.css';

/** Fetches a still: the same function as long as it is the same picture. `ageMs`: how old it is when it arrives. */
export type LoadSnapshot = (signal: AbortSignal) => Promise<{ readonly blob: Blob; readonly ageMs: number }>;

/** What is shown of a still that is fetched again and again. */
export interface FreshStill {
  /** Address of the picture; null before the first. */
  readonly source: string | null;
  /** How long ago it was taken, ms, when that is too long ago to pass for now; undefined while it is not. */
  readonly oldMs: number | undefined;
}

/** Older stills than this say their age, ms. */
export const OLD_MS = 20_000;
const LOOK_MS = 1000;

interface Shown {
  readonly source: string;
  /** By this browser's clock, ms since the epoch. */
  readonly takenMs: number;
}

/**
 * A still that is fetched again and again while the tab is in sight. The former one stays until its successor is
 * decoded, so nothing flickers; a picture that can't be had leaves what was there, which then grows old.
 * @param everyMs fetch it again this long after the last one came; null once is enough
 * @param oldAfterMs an older one says its age, ms
 */
export function useFreshStill(load: LoadSnapshot, everyMs: number | null, oldAfterMs = OLD_MS): FreshStill {
  const [shown, setShown] = useState<Shown | null>(null);
  const [oldMs, setOldMs] = useState<number>();
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let address: string | null = null;
    const show = async () => {
      const { blob, ageMs } = await load(abort.signal);
      const takenMs = Date.now() - ageMs;
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
          await show();
        } catch {
          // No picture yet, or no longer: the next turn asks again, and what is shown says how old it is.
        }
      }
      if (everyMs !== null && !abort.signal.aborted) timer = setTimeout(() => void run(), everyMs);
    };
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
      if (address) URL.revokeObjectURL(address);
    };
  }, [load, everyMs]);
  useEffect(() => {
    if (!shown) return;
    const look = () => {
      const ageMs = Date.now() - shown.takenMs;
      setOldMs(ageMs > oldAfterMs ? ageMs : undefined);
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [shown, oldAfterMs]);
  return { source: shown?.source ?? null, oldMs };
}

/** How old a still is, in words: "12 s ago". */
export function ageText(oldMs: number, i18n: I18n): string {
  return i18n.t('streams.picture.age', { duration: i18n.duration(oldMs) });
}

/** The still itself; an old one is dimmed. */
export function StillImage({ still }: { still: FreshStill }) {
  if (still.source === null) return null;
  return (
    <img
      src={still.source}
      alt=""
      className={classes.picture}
      data-picture="fresh"
      data-old={still.oldMs !== undefined}
    />
  );
}

interface FreshSnapshotProps {
  readonly load: LoadSnapshot;
  /** Fetch it again this long after the last one came, ms; null once is enough. */
  readonly everyMs: number | null;
}

/** A still that is kept fresh, with its age on it when it is not. */
export function FreshSnapshot({ load, everyMs }: FreshSnapshotProps) {
  const i18n = useI18n();
  const still = useFreshStill(load, everyMs);
  const words = still.oldMs !== undefined && everyMs !== null ? ageText(still.oldMs, i18n) : undefined;
  return (
    <>
      <StillImage still={still} />
      {words !== undefined && <span className={classes.age}>{words}</span>}
    </>
  );
}
