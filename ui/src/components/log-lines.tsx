import type { LogLevel } from '@vidette/contract/entities';
import { Fragment } from 'react';
import { useI18n } from '../i18n/i18n-context.tsx';
import classes from './log-lines.module.css';

interface LogLinesProps {
  readonly label: string;
  /** Oldest first, in order of arrival. */
  readonly lines: readonly {
    readonly id: number;
    /** Ms since the epoch. */
    readonly time: number;
    readonly level: LogLevel;
    readonly message: string;
    readonly fields?: Readonly<Record<string, unknown>>;
  }[];
}

/** A log, newest line first. */
export function LogLines({ label, lines }: LogLinesProps) {
  const i18n = useI18n();
  return (
    <ol className={classes.log} aria-label={label}>
      {lines.toReversed().map(({ id, time, level, message, fields = {} }) => (
        <li key={id}>
          <time dateTime={new Date(time).toISOString()}>{i18n.dateTime(time)}</time>
          <span className={classes.level} data-level={level}>
            {level}
          </span>
          <span className={classes.message}>
            {message}
            {Object.entries(fields).map(([name, value]) => (
              <Fragment key={name}>
                {' '}
                <Field name={name} value={value} />
              </Fragment>
            ))}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Longest value shown in the line itself, characters; an error's trace is expanded on demand. */
const shortMax = 80;

function Field({ name, value }: { name: string; value: unknown }) {
  const text = `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  if (text.length <= shortMax) return <span className={classes.field}>{text}</span>;
  return (
    <details className={classes.long}>
      <summary>{text.slice(0, shortMax)}…</summary>
      {text.slice(shortMax)}
    </details>
  );
}
