/** Whether FFmpeg's package is there; whether it can be loaded is only known to a child process. */
export function isFfmpegInstalled(): boolean {
  try {
    import.meta.resolve('node-av/lib');
    return true;
  } catch {
    return false;
  }
}
