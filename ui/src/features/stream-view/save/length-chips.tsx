import { Button } from '@mantine/core';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import classes from './save.module.css';
import { spanAround, spanLengths, type SaveSpan } from './span.ts';

interface LengthChipsProps {
  readonly span: SaveSpan;
  /** The moment on screen. */
  readonly shownMs: () => number;
  readonly onSpan: (span: SaveSpan) => void;
}

/** Ranges of common lengths around the moment on screen. */
export function LengthChips({ span, shownMs, onSpan }: LengthChipsProps) {
  const i18n = useI18n();
  return (
    <div className={classes.chips} role="group" aria-label={i18n.t('save.lengths')}>
      {spanLengths.map((lengthMs) => {
        const isChosen = span.endMs - span.startMs === lengthMs;
        return (
          <Button
            key={lengthMs}
            size="compact-sm"
            variant={isChosen ? 'light' : 'default'}
            aria-pressed={isChosen}
            onClick={() => onSpan(spanAround(shownMs(), lengthMs, Date.now()))}
          >
            {i18n.duration(lengthMs)}
          </Button>
        );
      })}
    </div>
  );
}
