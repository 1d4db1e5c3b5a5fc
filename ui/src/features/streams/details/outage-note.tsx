import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { streamStatsQuery } from '../streams-api.ts';
import { outageTexts } from './outage-text.ts';

interface OutageNoteProps {
  readonly uid: string;
  /** Between two requests. */
  readonly everyMs: number;
  readonly className: string | undefined;
}

/** Since when a stream has had no video, and when its source is tried again; nothing unless it failed. */
export function OutageNote({ uid, everyMs, className }: OutageNoteProps) {
  const i18n = useI18n();
  const { data: stats, dataUpdatedAt: askedMs } = useQuery({
    ...streamStatsQuery(uid),
    refetchInterval: everyMs,
  });
  if (stats?.status !== 'failed') return null;
  const { since, next } = outageTexts(stats, askedMs, i18n);
  return (
    <p className={className}>
      {since} {next}
    </p>
  );
}
