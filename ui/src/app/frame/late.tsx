import { useEffect, useState, type ComponentType } from 'react';
import { browserClock } from '../../base/clock.ts';
import { importUntilLoaded } from '../../page/import-until-loaded.ts';
import { usePage } from '../../page/page-context.tsx';
import { pageVersion } from '../../page/page-version.ts';

interface LateProps {
  readonly isWanted: boolean;
  /** Tried again until it succeeds; the same function at every render. */
  readonly load: () => Promise<ComponentType>;
}

/** A component that is fetched when it is first wanted, with all texts; nothing until both are there, and nothing while it is not wanted. */
export function Late({ isWanted, load }: LateProps) {
  const { language } = usePage();
  const [Content, setContent] = useState<ComponentType>();
  useEffect(() => {
    if (!isWanted) return;
    const both = () => Promise.all([load(), language.learnAll()]);
    void importUntilLoaded(both, browserClock, pageVersion).then(([found]) => setContent(() => found));
  }, [isWanted, language, load]);
  return isWanted && Content && <Content />;
}
