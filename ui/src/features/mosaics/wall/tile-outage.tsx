import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { outageTexts } from '../../streams/details/outage-text.ts';
import { streamStatsQuery } from '../../streams/streams-api.ts';
import classes from './wall.module.css';

/** Rarer than on the own page of a stream: many streams of a wall may have failed together. */
const EVERY_MS = 10_000;

/** Since when the stream of a tile has had no video, and when its source is tried again; nothing unless it failed. */
export function TileOutage({ uid }: { readonly uid: string }) {
  const i18n = useI18n();
  const { data: stats, dataUpdatedAt: askedMs } = useQuery({
    ...streamStatsQuery(uid),
    refetchInterval: EVERY_MS,
  });
  if (stats?.status !== 'failed') return null;
  const { since, next } = outageTexts(stats, askedMs, i18n);
  return (
    <p className={classes.outage}>
      {since} {next}
    </p>
  );
}
