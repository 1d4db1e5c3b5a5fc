import { useQuery } from '@tanstack/react-query';
import { shareJudgedAfterMs } from '@vidette/contract/constants';
import type { ListedStream } from '@vidette/contract/entities';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { I18n } from '../../../i18n/i18n.ts';
import { archiveStatsQuery, streamStatsQuery } from '../streams-api.ts';
import type { Column } from './choices.ts';
import classes from './streams-table.module.css';

/** Figures of many rows: they change slowly, and each row asks for its own. */
const archiveEveryMs = 60_000;
/** A camera that was just added has its first footage soon. */
const firstFootageEveryMs = 5_000;
const viewersEveryMs = 10_000;

interface FigureProps {
  readonly stream: ListedStream;
}

/** The value of a column of the table; empty while it is unknown. */
export function StreamFigure({
  stream,
  column,
}: FigureProps & { readonly column: Exclude<Column, 'status'> }) {
  const i18n = useI18n();
  switch (column) {
    case 'share':
    case 'oldest':
    case 'bitrate':
      return <ArchiveFigure stream={stream} column={column} />;
    case 'viewers':
      return <Viewers stream={stream} />;
    case 'depth':
      return depthText(stream, i18n);
    case 'tags':
      return stream.tags.join(', ');
    case 'location':
      return stream.location.name;
  }
}

function ArchiveFigure({
  stream,
  column,
}: FigureProps & { readonly column: 'share' | 'oldest' | 'bitrate' }) {
  const i18n = useI18n();
  const { data } = useQuery({
    ...archiveStatsQuery(stream.uid),
    enabled: stream.canArchive,
    refetchInterval: ({ state }) => (state.data?.startTime === null ? firstFootageEveryMs : archiveEveryMs),
  });
  if (!data) return null;
  if (column === 'oldest') return data.startTime === null ? '–' : i18n.date(data.startTime);
  if (column === 'bitrate')
    return data.bitrate > 0
      ? i18n.t('rate.bits', { amount: i18n.number(data.bitrate / 1e6, { maximumFractionDigits: 1 }) })
      : '–';
  const day = data.recorded?.day;
  return <ShareBar share={day && day.expectedMs >= shareJudgedAfterMs ? day.share : null} />;
}

/** A share of the last 24 hours as a bar with its figure, rounded down: a gap must not read as complete. */
function ShareBar({ share }: { readonly share: number | null }) {
  const i18n = useI18n();
  if (share === null) return '–';
  const percent = Math.floor(share * 1000) / 10;
  return (
    <span className={classes.share} data-short={share < 0.99}>
      <span className={classes.bar} aria-hidden="true">
        <span style={{ width: `${percent}%` }} />
      </span>
      {i18n.number(percent / 100, { style: 'percent', maximumFractionDigits: 1 })}
    </span>
  );
}

function Viewers({ stream: { uid, status } }: FigureProps) {
  const i18n = useI18n();
  const { data } = useQuery({
    ...streamStatsQuery(uid),
    enabled: status === 'running',
    refetchInterval: viewersEveryMs,
  });
  if (status !== 'running') return '–';
  return data ? i18n.number(data.viewers) : null;
}

function depthText({ archive }: ListedStream, i18n: I18n): string {
  if (!archive.isEnable) return i18n.t('streams.archive.off');
  if (archive.depthHours < 0) return i18n.t('streams.archive.noLimit');
  return i18n.duration(archive.depthHours * 3_600_000);
}
