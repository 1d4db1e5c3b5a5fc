import type { StreamStatus as Status } from '@vidette/contract/entities';
import type { ReactNode } from 'react';
import { useIsServerLost } from '../../page/page-context.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import classes from './stream-status.module.css';

/** What is shown of a stream; `idle`: an on-demand stream without viewers. */
type Mark = Status | 'idle';

const words: Record<Mark, MessageKey> = {
  idle: 'streams.status.idle',
  pending: 'streams.status.pending',
  running: 'streams.status.running',
  failed: 'streams.status.failed',
  paused: 'streams.status.paused',
  disabled: 'streams.status.disabled',
};

/** Each state has its own shape, so that none depends on colour alone. */
const shapes: Record<Mark, ReactNode> = {
  idle: <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="2" />,
  pending: (
    <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="2" strokeDasharray="4 2.2" />
  ),
  running: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  failed: <path d="M6 1l5.4 9.6H.6z" fill="currentColor" />,
  paused: <path d="M2.5 2h2.6v8H2.5zM6.9 2h2.6v8H6.9z" fill="currentColor" />,
  disabled: <rect x="2" y="2" width="8" height="8" fill="none" stroke="currentColor" strokeWidth="2" />,
};

interface StreamStatusProps {
  readonly status: Status;
  /** It connects only while there are viewers, and this is not the place where it is viewed. */
  readonly isOnDemand?: boolean;
}

/**
 * A stream's current state: shape, word and colour. While the server doesn't answer, the last known state is
 * not shown as current.
 */
export function StreamStatus({ status, isOnDemand = false }: StreamStatusProps) {
  const i18n = useI18n();
  const isServerLost = useIsServerLost();
  if (!isServerLost) return <StatusMark status={isOnDemand && status === 'pending' ? 'idle' : status} />;
  return (
    <span className={classes.status} data-status="unknown">
      <svg viewBox="0 0 12 12" className={classes.shape} aria-hidden="true">
        {shapes.pending}
      </svg>
      {i18n.t('streams.status.unknown')}
    </span>
  );
}

/** A past or present state: shape, word and colour. */
export function StatusMark({ status }: { status: Mark }) {
  const i18n = useI18n();
  return (
    <span className={classes.status} data-status={status}>
      <svg viewBox="0 0 12 12" className={classes.shape} aria-hidden="true">
        {shapes[status]}
      </svg>
      {i18n.t(words[status])}
    </span>
  );
}

/** The sign of a stream with a public link; its words would take the room of a name. */
export function PublicMark() {
  const i18n = useI18n();
  const text = i18n.t('streams.public');
  return (
    <span className={classes.status} data-status="public" title={text}>
      <svg viewBox="0 0 12 12" className={classes.shape} aria-hidden="true">
        <circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" strokeWidth="1.4" />
        <path d="M1.4 6h9.2M6 1.4c-3 3-3 6.2 0 9.2c3-3 3-6.2 0-9.2" fill="none" stroke="currentColor" />
      </svg>
      <span className="visually-hidden">{text}</span>
    </span>
  );
}
