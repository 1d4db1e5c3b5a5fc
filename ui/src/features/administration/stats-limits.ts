/** More than this is too much: answers take that much longer, and live video stutters. */
export const eventLoopDelayMaxMs = 250;
/** More than this is too much: footage of this length waits for the disk. */
export const writeLatencyMaxMs = 1_000;
