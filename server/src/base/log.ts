/**
 * The logging interface that modules depend on; the real one is pino, wired in `app.ts`, tests use `silentLog`.
 * Values that may contain credentials first pass through the redaction of `base/redact.ts`.
 */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A log whose entries all carry `fields`, e.g. `{ stream: uid }`. */
  child(fields: LogFields): Log;
}

export type LogFields = Readonly<Record<string, unknown>>;

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};
