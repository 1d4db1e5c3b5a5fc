/**
 * A thumbnail of a key frame as bytes: the luma of the whole frame, then that of a region of it, each row by row.
 * A cell averages hundreds of pixels, so that noise and compression hardly show in it.
 */
export const frameColumns = 32;
export const frameRows = 18;
/** A finer grid over the region, so that a change in a part of it is seen. */
export const regionColumns = 16;
export const regionRows = 16;

export const frameCells = frameColumns * frameRows;
export const thumbnailBytes = frameCells + regionColumns * regionRows;
