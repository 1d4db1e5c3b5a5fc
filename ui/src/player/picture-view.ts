import type { Cancel } from '../base/clock.ts';

/** How a picture fills a box of another shape: whole with bars, cut at two edges, or stretched. */
export type PictureFit = 'contain' | 'cover' | 'fill';

/** What part of the picture is seen; a new value at each change. */
export interface PictureLook {
  readonly fit: PictureFit;
  /** 1 shows all of it. */
  readonly zoom: number;
  /** Where the enlarged picture's left and top edge lie, in widths and heights of the box: 1 - zoom to 0. */
  readonly left: number;
  readonly top: number;
}

export const PICTURE_ZOOM_MOST = 8;
const WHOLE = { zoom: 1, left: 0, top: 0 } as const;

/** Digital zoom and pan of one picture. Places are shares of the box, 0 to 1 from its left and top. */
export class PictureView {
  readonly #listeners = new Set<() => void>();
  #look: PictureLook = { fit: 'contain', ...WHOLE };

  /** The same object until something changed. */
  readonly getLook = (): PictureLook => this.#look;

  readonly subscribe = (listener: () => void): Cancel => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  setFit(fit: PictureFit): void {
    this.#change({ fit });
  }

  /** Enlarges by a factor (less than 1 makes it smaller); what lies at the place given stays there. */
  zoomBy(factor: number, x = 0.5, y = 0.5): void {
    const { zoom, left, top } = this.#look;
    const next = Math.min(PICTURE_ZOOM_MOST, Math.max(1, zoom * factor));
    const grown = next / zoom;
    this.#change({ zoom: next, ...inside(next, x - (x - left) * grown, y - (y - top) * grown) });
  }

  /** Moves the enlarged picture by shares of the box. */
  panBy(x: number, y: number): void {
    const { zoom, left, top } = this.#look;
    this.#change(inside(zoom, left + x, top + y));
  }

  /** All of it again. */
  reset(): void {
    this.#change(WHOLE);
  }

  #change(change: Partial<PictureLook>): void {
    this.#look = { ...this.#look, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** No edge of the picture comes inside the box. */
function inside(zoom: number, left: number, top: number): Pick<PictureLook, 'left' | 'top'> {
  const held = (at: number) => Math.min(0, Math.max(1 - zoom, at));
  return { left: held(left), top: held(top) };
}
