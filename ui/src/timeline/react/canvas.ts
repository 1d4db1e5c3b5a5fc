/** Text size of a page for which canvases are drawn, CSS px. */
const DRAWN_TEXT_PX = 16;

/**
 * CSS px for each px of a drawing. Canvases are drawn for the usual text size and enlarged with the page's text,
 * so that their labels are as legible as it.
 */
function drawnScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / DRAWN_TEXT_PX;
}

/** A length of a drawing, as a CSS length. */
export function drawnLength(px: number): string {
  return `${px / DRAWN_TEXT_PX}rem`;
}

/** A length on the screen, CSS px, as a length of a drawing. */
export function drawnPx(cssPx: number): number {
  return cssPx / drawnScale();
}

/**
 * Sets the size of a canvas to the device pixels of its area, px of the drawing. Changing its size clears it.
 * @returns device pixels for each of them
 */
export function fitCanvas(canvas: HTMLCanvasElement, widthPx: number, heightPx: number): number {
  const density = window.devicePixelRatio * drawnScale();
  const width = Math.round(widthPx * density);
  const height = Math.round(heightPx * density);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  return density;
}

/**
 * Calls back with the width of an element, px of a drawing, now and when it changes; not while it is hidden. Returns
 * a function that stops it.
 */
export function followWidth(element: Element, onWidth: (widthPx: number) => void): () => void {
  const sizes = new ResizeObserver(([entry]) => {
    if (entry && entry.contentRect.width > 0) onWidth(drawnPx(entry.contentRect.width));
  });
  sizes.observe(element);
  return () => sizes.disconnect();
}
