import { useEffect, useState } from 'react';

/**
 * Rotates through the pages of a mosaic until the user stops it.
 * @param seconds how long each page is shown; 0 for never
 */
export function useRotation(
  pages: number,
  seconds: number,
  turn: () => void,
): { isTurning: boolean; setTurning: (isTurning: boolean) => void } {
  const [isTurning, setTurning] = useState(true);
  const isOn = isTurning && seconds > 0 && pages > 1;
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(turn, seconds * 1000);
    return () => clearInterval(timer);
  }, [isOn, seconds, turn]);
  return { isTurning: isOn, setTurning };
}
