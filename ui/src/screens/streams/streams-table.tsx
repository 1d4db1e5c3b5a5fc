import { Link } from '@tanstack/react-router';
import type { ListedStream } from '@vidette/contract/entities';
import { useCallback, type CSSProperties } from 'react';
import { loadStreamPicture } from '../../api/streams.ts';
import { FreshPicture } from '../../components/fresh-picture.tsx';
import { StreamStatus } from '../../components/stream-status.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { reasonOf } from './reason.ts';
import classes from './streams-table.module.css';

const pictureEveryMs = 10_000;
const pictureWidthPx = 160;

/** The table's headings, in step with `StreamsTableRow`. */
export function StreamsTableHead() {
  const i18n = useI18n();
  return (
    <div role="rowgroup">
      <div role="row" className={classes.head}>
        <div role="columnheader">
          <span className="visually-hidden">{i18n.t('streams.column.picture')}</span>
        </div>
        <div role="columnheader">{i18n.t('streams.column.name')}</div>
        <div role="columnheader">{i18n.t('streams.column.status')}</div>
        <div role="columnheader" data-wide="true">
          {i18n.t('streams.column.archive')}
        </div>
        <div role="columnheader" data-wide="true">
          {i18n.t('streams.column.tags')}
        </div>
        <div role="columnheader" data-wide="true">
          {i18n.t('streams.column.location')}
        </div>
      </div>
    </div>
  );
}

interface StreamsTableRowProps {
  readonly stream: ListedStream | undefined;
  /** Place in the whole list, from 0. */
  readonly place: number;
  readonly style: CSSProperties;
}

/** One stream as a line; empty until its page has come. */
export function StreamsTableRow({ stream, place, style }: StreamsTableRowProps) {
  const i18n = useI18n();
  if (!stream) return <div role="row" aria-rowindex={place + 2} className={classes.row} style={style} />;
  const reason = reasonOf(stream, i18n);
  return (
    <div role="row" aria-rowindex={place + 2} className={classes.row} style={style}>
      <div role="cell" className={classes.pictureCell}>
        <RowPicture uid={stream.uid} isRunning={stream.status === 'running'} />
      </div>
      <div role="cell" className={classes.nameCell}>
        <Link to="/stream/$uid/view" params={{ uid: stream.uid }} className={classes.name}>
          {stream.name}
        </Link>
        {reason !== null && <span className={classes.reason}>{reason}</span>}
      </div>
      <div role="cell">
        <StreamStatus status={stream.status} />
      </div>
      <div role="cell" data-wide="true">
        {archiveWords(stream, i18n)}
      </div>
      <div role="cell" data-wide="true" className={classes.cut}>
        {stream.tags.join(', ')}
      </div>
      <div role="cell" data-wide="true" className={classes.cut}>
        {stream.location.name}
      </div>
    </div>
  );
}

function RowPicture({ uid, isRunning }: { uid: string; isRunning: boolean }) {
  const load = useCallback((signal: AbortSignal) => loadStreamPicture(uid, pictureWidthPx, signal), [uid]);
  return <FreshPicture load={load} everyMs={isRunning ? pictureEveryMs : null} />;
}

function archiveWords({ archive }: ListedStream, i18n: I18n): string {
  if (!archive.isEnable) return i18n.t('streams.archive.off');
  if (archive.depthHours < 0) return i18n.t('streams.archive.noLimit');
  return i18n.duration(archive.depthHours * 3_600_000);
}
