import { useCallback, useState } from 'react';

const key = 'vidette.cameraStrip';

/** Whether the strip of cameras is open, as the user left it in this browser; open at first. */
export function useStripChoice(): readonly [isOpen: boolean, toggle: () => void] {
  const [isOpen, setOpen] = useState(() => localStorage.getItem(key) !== 'closed');
  const toggle = useCallback(() => {
    localStorage.setItem(key, isOpen ? 'closed' : 'open');
    setOpen(!isOpen);
  }, [isOpen]);
  return [isOpen, toggle];
}
