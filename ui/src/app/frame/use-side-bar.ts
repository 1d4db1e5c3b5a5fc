import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useState } from 'react';

const key = 'vidette.sideBar';

/** Where there is no room next to it, the bar covers the screen and closes by itself [R2.29]. */
const smallScreen = '(max-height: 600px), (max-width: 614.98px)';

/** From here on there is room for it next to every screen: it is open until the user closes it. */
const roomyScreen = '(min-width: 1200px)';

/**
 * The side bar's state: on a large screen as the user left it, and before that open where there is room; on a small one
 * closed until it is opened.
 */
export interface SideBarState {
  readonly isOpen: boolean;
  readonly isSmall: boolean;
  readonly toggle: () => void;
  /** Closes it where it covers the screen; next to the screen it stays open. */
  readonly giveWay: () => void;
}

export function useSideBar(): SideBarState {
  const isSmall = useMediaQuery(smallScreen, undefined, { getInitialValueInEffect: false });
  const [isPinned, setPinned] = useState(isPinnedAtFirst);
  const [isOver, setOver] = useState(false);
  const toggle = useCallback(() => {
    if (isSmall) {
      setOver(!isOver);
      return;
    }
    localStorage.setItem(key, isPinned ? 'closed' : 'open');
    setPinned(!isPinned);
  }, [isSmall, isOver, isPinned]);
  const giveWay = useCallback(() => setOver(false), []);
  return { isOpen: isSmall ? isOver : isPinned, isSmall, toggle, giveWay };
}

function isPinnedAtFirst(): boolean {
  const stored = localStorage.getItem(key);
  return stored === null ? matchMedia(roomyScreen).matches : stored === 'open';
}
