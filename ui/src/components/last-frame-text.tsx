import { useI18n } from '../i18n/i18n-context.tsx';
import type { I18n } from '../i18n/i18n.ts';

interface LastFrameTextProps {
  /** When it was captured, UTC ms. */
  readonly utcMs: number;
  readonly ageMs: number;
}

const DAY_MS = 86_400_000;

/** An old frame or snapshot in words: "Last frame 12:40:18, 14 s ago". */
export function LastFrameText({ utcMs, ageMs }: LastFrameTextProps) {
  return (
    <time dateTime={new Date(utcMs).toISOString()} data-last-frame="">
      {lastFrameText(utcMs, ageMs, useI18n())}
    </time>
  );
}

function lastFrameText(utcMs: number, ageMs: number, i18n: I18n): string {
  // The same time of another day needs its date.
  const time = ageMs < DAY_MS / 2 ? i18n.time(utcMs) : i18n.dateTime(utcMs);
  const duration = i18n.duration(Math.floor(ageMs / 1000) * 1000);
  return i18n.t('streams.lastFrame', { time, duration });
}
