import type { Disposer } from '../base/clock.ts';

/** How the video fits a box of another shape: whole with bars, cropped at two edges, or stretched. */
export type VideoFit = 'contain' | 'cover' | 'fill';

/** The visible part of the video; a new value on each change. */
export interface ViewportState {
  readonly fit: VideoFit;
  /** 1 shows all of it. */
  readonly zoom: number;
  /** Position of the zoomed video's left and top edge, in widths and heights of the box: 1 - zoom to 0. */
  readonly left: number;
  readonly top: number;
}

export const VIDEO_ZOOM_MOST = 8;
/** The factor of one press of a button or key. */
export const VIDEO_ZOOM_STEP = 1.5;
const WHOLE = { zoom: 1, left: 0, top: 0 } as const;

/** Digital zoom and pan of one video. Positions are fractions of the box, 0 to 1 from its left and top. */
export class VideoViewport {
  readonly #listeners = new Set<() => void>();
  #look: ViewportState = { fit: 'contain', ...WHOLE };

  /** The same object until something changes. */
  readonly getLook = (): ViewportState => this.#look;

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  setFit(fit: VideoFit): void {
    this.#change({ fit });
  }

  /** Zooms by a factor (less than 1 zooms out); the given point stays in place. */
  zoomBy(factor: number, x = 0.5, y = 0.5): void {
    const { zoom, left, top } = this.#look;
    const next = Math.min(VIDEO_ZOOM_MOST, Math.max(1, zoom * factor));
    const grown = next / zoom;
    this.#change({ zoom: next, ...inside(next, x - (x - left) * grown, y - (y - top) * grown) });
  }

  /** Pans the zoomed video by fractions of the box. */
  panBy(x: number, y: number): void {
    const { zoom, left, top } = this.#look;
    this.#change(inside(zoom, left + x, top + y));
  }

  /** Resets the zoom. */
  reset(): void {
    this.#change(WHOLE);
  }

  #change(change: Partial<ViewportState>): void {
    this.#look = { ...this.#look, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Keeps the edges of the video outside the box. */
function inside(zoom: number, left: number, top: number): Pick<ViewportState, 'left' | 'top'> {
  const held = (at: number) => Math.min(0, Math.max(1 - zoom, at));
  return { left: held(left), top: held(top) };
}
