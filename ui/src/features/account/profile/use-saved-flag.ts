import { pageTimes } from '@vidette/contract/constants';
import { useEffect, useState } from 'react';

/** A flag that is set for a moment after a save [R4.14]: the button itself confirms the save. */
export function useSavedFlag(): [isUp: boolean, raise: () => void] {
  const [isUp, setUp] = useState(false);
  useEffect(() => {
    if (!isUp) return;
    const timer = setTimeout(() => setUp(false), pageTimes.profileSavedFlagMs);
    return () => clearTimeout(timer);
  }, [isUp]);
  return [isUp, () => setUp(true)];
}
