import { useEffect, useState, type ReactNode } from 'react';

const skeletonDelayMs = 150;

/** Shows its children only after 150 ms: a faster answer should not make the page flicker. */
export function Delayed({ children }: { children: ReactNode }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), skeletonDelayMs);
    return () => clearTimeout(timer);
  }, []);
  return isDue ? children : null;
}
