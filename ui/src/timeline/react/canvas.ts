/**
 * Sets the size of a canvas to the device pixels of its area. Changing its size clears it.
 * @returns pixels per CSS pixel
 */
export function fitCanvas(canvas: HTMLCanvasElement, widthPx: number, heightPx: number): number {
  const density = window.devicePixelRatio;
  const width = Math.round(widthPx * density);
  const height = Math.round(heightPx * density);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  return density;
}

/**
 * Calls back with the width of an element, CSS pixels, now and when it changes; not while it is hidden. Returns
 * a function that stops it.
 */
export function followWidth(element: Element, onWidth: (widthPx: number) => void): () => void {
  const sizes = new ResizeObserver(([entry]) => {
    if (entry && entry.contentRect.width > 0) onWidth(entry.contentRect.width);
  });
  sizes.observe(element);
  return () => sizes.disconnect();
}
