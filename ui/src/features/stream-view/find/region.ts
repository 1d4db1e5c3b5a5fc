/** A part of the frame, as shares of its width and height. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Smaller parts can't be drawn by hand. */
const LEAST = 0.02;
/** Shown around a region, as a share of its size, so that it can be recognized. */
const CONTEXT = 0.35;
/** A smaller part of the frame would be blurred. */
const LEAST_SHOWN = 0.18;

/** The region between two corners; undefined if it is too small to be meant. */
export function regionBetween(
  one: { readonly x: number; readonly y: number },
  other: { readonly x: number; readonly y: number },
): Region | undefined {
  const [left, right] = [one.x, other.x].map(inside).sort((a, b) => a - b);
  const [top, bottom] = [one.y, other.y].map(inside).sort((a, b) => a - b);
  const region = {
    left: left ?? 0,
    top: top ?? 0,
    width: (right ?? 0) - (left ?? 0),
    height: (bottom ?? 0) - (top ?? 0),
  };
  return region.width < LEAST || region.height < LEAST ? undefined : region;
}

/** The region moved by a share of the frame; it stays inside. */
export function moved(region: Region, byX: number, byY: number): Region {
  return {
    ...region,
    left: Math.min(Math.max(0, region.left + byX), 1 - region.width),
    top: Math.min(Math.max(0, region.top + byY), 1 - region.height),
  };
}

/** The region with its lower right corner moved; it stays inside and can be seen. */
export function resized(region: Region, byX: number, byY: number): Region {
  return {
    ...region,
    width: Math.min(Math.max(LEAST, region.width + byX), 1 - region.left),
    height: Math.min(Math.max(LEAST, region.height + byY), 1 - region.top),
  };
}

/** What is shown of a frame: the region, with something around it. */
export function withContext({ left, top, width, height }: Region): Region {
  const around = (start: number, size: number): readonly [number, number] => {
    const shown = Math.min(1, Math.max(LEAST_SHOWN, size * (1 + 2 * CONTEXT)));
    return [Math.min(Math.max(0, start + size / 2 - shown / 2), 1 - shown), shown];
  };
  const [shownLeft, shownWidth] = around(left, width);
  const [shownTop, shownHeight] = around(top, height);
  return { left: shownLeft, top: shownTop, width: shownWidth, height: shownHeight };
}

/** A region of the frame as a region of what is shown of it. */
export function regionWithin(region: Region, shown: Region): Region {
  return {
    left: (region.left - shown.left) / shown.width,
    top: (region.top - shown.top) / shown.height,
    width: region.width / shown.width,
    height: region.height / shown.height,
  };
}

function inside(value: number): number {
  return Math.min(1, Math.max(0, value));
}
