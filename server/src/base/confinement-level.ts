/**
 * How the child processes with native media code are isolated. `files`: no network except connections opened by the server, and
 * no files except the program and the system's libraries, read-only. `network`: only the network is isolated. `none`: the system
 * provides no namespaces; only FFmpeg's own options (`ffmpeg/worker/input/input-options.ts`) restrict them.
 */
export type ConfinementLevel = 'files' | 'network' | 'none';
