import { useEffect, useRef } from 'react';
import classes from './find.module.css';
import type { FoundFrame } from './find-session.ts';

/** A decoded frame, as large as its box. */
export function FrameCanvas({ frame }: { readonly frame: FoundFrame | undefined }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const image = frame?.image;
  useEffect(() => {
    const element = canvas.current;
    if (!element || !image) return;
    element.width = image.width;
    element.height = image.height;
    element.getContext('2d')?.drawImage(image, 0, 0);
  }, [image]);
  return (
    <canvas ref={canvas} className={classes.frame} data-loaded={image !== undefined} aria-hidden="true" />
  );
}
