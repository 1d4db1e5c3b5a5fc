import { useEffect, useState } from 'react';

/** How long it is shown what playback did by itself, ms. */
const shownMs = 8_000;

/** The newest notice while it is to be shown; each has an id of its own. */
export function useRecentNotice<T extends { readonly id: number }>(notice: T | undefined): T | undefined {
  const [goneId, setGoneId] = useState<number>();
  const id = notice?.id;
  useEffect(() => {
    if (id === undefined) return;
    const timer = setTimeout(() => setGoneId(id), shownMs);
    return () => clearTimeout(timer);
  }, [id]);
  return id === goneId ? undefined : notice;
}
