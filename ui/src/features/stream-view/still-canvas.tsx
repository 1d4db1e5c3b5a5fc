import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { Scrubber } from '../../playback/scrubber.ts';

interface StillCanvasProps {
  readonly scrubber: Scrubber;
  readonly className: string | undefined;
  /** Largest width of the canvas, pixels; the still frame's own by default. */
  readonly mostPx?: number;
}

/** The scrubber's newest still frame. */
export function StillCanvas({ scrubber, className, mostPx = Infinity }: StillCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scrub = useSyncExternalStore(scrubber.subscribe, scrubber.getScrub);
  const { still } = scrub;
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || !still) return;
    const { image } = still;
    const [width, height] = sizeOf(image);
    if (width === 0) return;
    const share = Math.min(1, mostPx / width);
    element.width = Math.round(width * share);
    element.height = Math.round(height * share);
    context.drawImage(image, 0, 0, element.width, element.height);
  }, [scrub, still, mostPx]);
  return <canvas ref={canvas} className={className} data-still-ms={still?.utcMs} aria-hidden="true" />;
}

function sizeOf(image: CanvasImageSource): readonly [number, number] {
  if (image instanceof HTMLVideoElement) return [image.videoWidth, image.videoHeight];
  if (image instanceof ImageBitmap) return [image.width, image.height];
  return [0, 0];
}
