/**
 * The picture of a digest, pixels: the video, scaled to fit and centred, and below it a strip with the camera and the
 * time, which so covers nothing of the video.
 */
export const digestLayout = {
  width: 1280,
  videoHeight: 720,
  stripHeight: 48,
  framesPerSecond: 25,
} as const;

/** Ticks of the times of a digest, per second. */
export const digestTimescale = 90_000;
