import type { Disposer } from '../base/clock.ts';

/** How a picture fills a box of another shape: whole with bars, cut at two edges, or stretched. */
export type VideoFit = 'contain' | 'cover' | 'fill';

/** What part of the picture is seen; a new value at each change. */
export interface ViewportState {
  readonly fit: VideoFit;
  /** 1 shows all of it. */
  readonly zoom: number;
  /** Where the enlarged picture's left and top edge lie, in widths and heights of the box: 1 - zoom to 0. */
  readonly left: number;
  readonly top: number;
}

export const VIDEO_ZOOM_MOST = 8;
const WHOLE = { zoom: 1, left: 0, top: 0 } as const;

/** Digital zoom and pan of one picture. Places are shares of the box, 0 to 1 from its left and top. */
export class VideoViewport {
  readonly #listeners = new Set<() => void>();
  #look: ViewportState = { fit: 'contain', ...WHOLE };

  /** The same object until something changed. */
  readonly getLook = (): ViewportState => this.#look;

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  setFit(fit: VideoFit): void {
    this.#change({ fit });
  }

  /** Enlarges by a factor (less than 1 makes it smaller); what lies at the place given stays there. */
  zoomBy(factor: number, x = 0.5, y = 0.5): void {
    const { zoom, left, top } = this.#look;
    const next = Math.min(VIDEO_ZOOM_MOST, Math.max(1, zoom * factor));
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

  #change(change: Partial<ViewportState>): void {
    this.#look = { ...this.#look, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** No edge of the picture comes inside the box. */
function inside(zoom: number, left: number, top: number): Pick<ViewportState, 'left' | 'top'> {
  const held = (at: number) => Math.min(0, Math.max(1 - zoom, at));
  return { left: held(left), top: held(top) };
}
