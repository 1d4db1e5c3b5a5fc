import type { Log, LogFields } from './log.ts';
import { redactText, redactValue } from './redact.ts';

type Level = Exclude<keyof Log, 'child'>;

/** A log that writes redacted lines to `target`, and passes them on with the fields of all its parents. */
export function redactingLog(
  target: Log,
  note: (level: Level, message: string, fields: LogFields) => void,
  inherited: LogFields = {},
): Log {
  const write = (level: Level) => (fields: LogFields, message: string) => {
    const safe = redactValue(fields) as LogFields;
    const text = redactText(message);
    target[level](safe, text);
    note(level, text, { ...inherited, ...safe });
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => {
      const safe = redactValue(fields) as LogFields;
      return redactingLog(target.child(safe), note, { ...inherited, ...safe });
    },
  };
}
