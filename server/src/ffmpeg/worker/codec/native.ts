import { FFmpegError, type CodecContext } from 'node-av/lib';
import { AV_OPT_SEARCH_CHILDREN, AV_OPT_TYPE_STRING, AVERROR_EAGAIN, AVERROR_EOF } from 'node-av/constants';

/**
 * A failed native call, with FFmpeg's error number so that a caller that knows the context can word the
 * message.
 */
export class NativeError extends Error {
  readonly averror: number;

  constructor(averror: number, doing: string) {
    super(`${doing}: ${FFmpegError.strerror(averror)}`);
    this.name = 'NativeError';
    this.averror = averror;
  }
}

/** Returns the result of a native call, or throws the error that its negative value means. */
export function checked(result: number, doing: string): number {
  if (result < 0) throw new NativeError(result, doing);
  return result;
}

/** True if a codec returned output, false if it needs more input or is drained. */
export function received(result: number, doing: string): boolean {
  if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return false;
  checked(result, doing);
  return true;
}

/**
 * Sets options of a codec by name. A Dictionary is not passed to `open2Sync`: in node-av 6.1.1 both the call
 * and the garbage collector free it, and the process crashes some seconds later.
 */
export function setOptions(context: CodecContext, options: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(options)) {
    checked(
      context.setOption(name, value, AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN),
      `setting option ${name}`,
    );
  }
}
