import { useI18n } from '../../i18n/i18n-context.tsx';

/** When the frame behind the text was captured, because it is an old one. Nothing if there is no frame. */
export function LastFrame({ utcMs }: { utcMs: number | undefined }) {
  const i18n = useI18n();
  if (utcMs === undefined) return null;
  return (
    <p>
      {i18n.t('player.lastFrame')}{' '}
      <time dateTime={new Date(utcMs).toISOString()}>{i18n.dateTime(utcMs)}</time>
    </p>
  );
}
