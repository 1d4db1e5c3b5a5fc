import { useEffect, useRef, type KeyboardEvent } from 'react';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import classes from './find.module.css';
import { FrameCanvas } from './frame-canvas.tsx';
import { missingMs, type FindRound } from './moment-finder.ts';
import { RegionFrame } from './region-picker.tsx';
import { regionWithin, withContext, type Region } from './region.ts';
import type { FindState } from './find.ts';

interface FindFramesProps {
  readonly round: FindRound;
  readonly frames: FindState['frames'];
  readonly region: Region | undefined;
  /** The first frame that differs, by its place among the moments. */
  readonly onChoose: (place: number) => void;
}

/** The frames of a round in order of time; the first one is the known one without the change. */
export function FindFrames({ round, frames, region, onChoose }: FindFramesProps) {
  const list = useRef<HTMLOListElement>(null);
  const { beforeMs, momentsMs, afterMs } = round;
  // The dialog has just shown other frames, perhaps scrolled: the reader and the keyboard continue at the first.
  useEffect(() => {
    list.current?.querySelector('button')?.focus({ preventScroll: true });
    list.current?.closest('[role=dialog]')?.scrollTo({ top: 0 });
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = stepOf(event.key, list.current);
    if (by === undefined) return;
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const place = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[Math.min(Math.max(0, place + by), buttons.length - 1)]?.focus();
    event.preventDefault();
  };
  return (
    <ol ref={list} className={classes.frames}>
      <li className={classes.item}>
        <Frame utcMs={beforeMs} frames={frames} region={region} />
      </li>
      {[...momentsMs, afterMs].map((utcMs, place) => (
        <li key={utcMs} className={classes.item}>
          <button
            type="button"
            className={classes.choice}
            data-find-ms={utcMs}
            onKeyDown={onKeyDown}
            onClick={() => onChoose(place)}
          >
            <Frame
              utcMs={utcMs}
              frames={frames}
              region={region}
              gapMs={missingMs(
                round.ranges,
                (place === 0 ? beforeMs : momentsMs[place - 1]) ?? beforeMs,
                utcMs,
              )}
            />
          </button>
        </li>
      ))}
    </ol>
  );
}

/** How far an arrow key moves, by the number of columns on screen. */
function stepOf(key: string, list: HTMLElement | null): number | undefined {
  const columns = list ? getComputedStyle(list).gridTemplateColumns.split(' ').length : 1;
  switch (key) {
    case 'ArrowLeft':
      return -1;
    case 'ArrowRight':
      return 1;
    case 'ArrowUp':
      return -columns;
    case 'ArrowDown':
      return columns;
    default:
      return undefined;
  }
}

interface FrameProps {
  readonly utcMs: number;
  readonly frames: FindState['frames'];
  readonly region: Region | undefined;
  /** Not recorded between the frame before it and this one; undefined for the known one. */
  readonly gapMs?: number;
}

/** A shorter gap between two frames is not worth a remark. */
const GAP_MS = 2_000;

function Frame({ utcMs, frames, region, gapMs }: FrameProps) {
  const i18n = useI18n();
  const frame = frames.get(utcMs);
  return (
    <>
      <span className={classes.still}>
        <FrameCanvas frame={frame} />
        {region && frame?.image && <RegionFrame region={regionWithin(region, withContext(region))} />}
        {frame && !frame.image && <span className={classes.missing}>{i18n.t('find.noFrame')}</span>}
      </span>
      <span className={classes.caption}>
        <time dateTime={new Date(utcMs).toISOString()}>{i18n.dateTime(utcMs)}</time>
        {gapMs === undefined && <span className={classes.known}>{i18n.t('find.before')}</span>}
        {gapMs !== undefined && gapMs >= GAP_MS && (
          <span className={classes.gap}>{i18n.t('find.gap', { duration: i18n.duration(gapMs) })}</span>
        )}
      </span>
    </>
  );
}
