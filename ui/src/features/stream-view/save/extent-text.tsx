import type { ArchiveExtent } from '@vidette/contract/entities';
import { useI18n } from '../../../i18n/i18n-context.tsx';

interface ExtentTextProps {
  /** Undefined while it loads. */
  readonly extent: ArchiveExtent | undefined;
  readonly askedMs: number;
  /** Why it is unknown. */
  readonly failure: string | undefined;
}

/** How much of a range is recorded, the expected file size, and what is missing. */
export function ExtentText({ extent, askedMs, failure }: ExtentTextProps) {
  const i18n = useI18n();
  if (failure !== undefined) return failure;
  if (!extent) return i18n.t('save.measuring');
  if (extent.durationMs === 0) return i18n.t('save.nothing');
  const inside = extent.gaps.filter(
    ({ startTime, endTime }) => startTime < (extent.endTime ?? 0) && endTime > (extent.startTime ?? 0),
  );
  // A gap with several causes is listed as several adjacent ones.
  const count = inside.filter(({ startTime }, index) => inside[index - 1]?.endTime !== startTime).length;
  const missingMs = inside.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0);
  return (
    <>
      {i18n.t('save.extent', {
        recorded: i18n.duration(extent.durationMs),
        asked: i18n.duration(askedMs),
        size: i18n.bytes(extent.bytes),
      })}{' '}
      {inside.length > 0 && i18n.t('save.gaps', { count, duration: i18n.duration(missingMs) })}
    </>
  );
}
