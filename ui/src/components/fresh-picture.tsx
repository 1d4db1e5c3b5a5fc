import { useEffect, useState } from 'react';
import classes from './fresh-picture.module.css';

interface FreshPictureProps {
  /** Fetches the picture; the same function as long as it is the same picture. */
  readonly load: (signal: AbortSignal) => Promise<Blob>;
  /** Fetch it again this long after the last one came, ms; null once is enough. */
  readonly everyMs: number | null;
}

/**
 * A still that is fetched again and again while the tab is in sight. The former one stays until its successor is
 * decoded, so nothing flickers; a picture that can't be had leaves what was there.
 */
export function FreshPicture({ load, everyMs }: FreshPictureProps) {
  const [source, setSource] = useState<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shown: string | null = null;
    const show = async () => {
      const blob = await load(abort.signal);
      const next = URL.createObjectURL(blob);
      const image = new Image();
      image.src = next;
      await image.decode();
      if (abort.signal.aborted) return URL.revokeObjectURL(next);
      setSource(next);
      if (shown) URL.revokeObjectURL(shown);
      shown = next;
    };
    const run = async () => {
      if (!document.hidden) {
        try {
          await show();
        } catch {
          // No picture yet, or no longer: the next turn asks again, and the state beside the picture says why.
        }
      }
      if (everyMs !== null && !abort.signal.aborted) timer = setTimeout(() => void run(), everyMs);
    };
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
      if (shown) URL.revokeObjectURL(shown);
    };
  }, [load, everyMs]);
  return source && <img src={source} alt="" className={classes.picture} data-picture="fresh" />;
}
