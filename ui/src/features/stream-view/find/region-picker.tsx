import { useEffect, useId, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { Delayed } from '../../../components/delayed.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import classes from './find.module.css';
import type { FindSession, FoundFrame } from './find-session.ts';
import { FrameCanvas } from './frame-canvas.tsx';
import { moved, regionBetween, resized, type Region } from './region.ts';

interface RegionPickerProps {
  /** The moment whose frame is drawn on, UTC ms. */
  readonly utcMs: number;
  readonly session: Pick<FindSession, 'whole'>;
  readonly region: Region | undefined;
  readonly onRegion: (region: Region | undefined) => void;
}

const MOVE = 0.02;
/** Where the first arrow key puts a region. */
const middle: Region = { left: 0.4, top: 0.4, width: 0.2, height: 0.2 };

/** Moves of a key, as shares of the frame. */
const moves: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-MOVE, 0],
  ArrowRight: [MOVE, 0],
  ArrowUp: [0, -MOVE],
  ArrowDown: [0, MOVE],
};

/** A frame on which a region is drawn with the pointer, or placed with the arrow keys. */
export function RegionPicker({ utcMs, session, region, onRegion }: RegionPickerProps) {
  const i18n = useI18n();
  const keysId = useId();
  const [frame, setFrame] = useState<FoundFrame>();
  const picker = useRef<HTMLButtonElement>(null);
  const corner = useRef<{ x: number; y: number }>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    session.whole(utcMs, abort.signal).then(setFrame, () => {
      // Aborted: another frame is loaded.
    });
    return () => abort.abort();
  }, [utcMs, session]);
  // After a step back the keyboard continues here.
  useEffect(() => picker.current?.focus({ preventScroll: true }), []);
  const at = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [byX, byY] = moves[event.key] ?? [];
    if (event.key === 'Delete' || event.key === 'Backspace') onRegion(undefined);
    else if (byX === undefined || byY === undefined) return;
    else if (!region) onRegion(middle);
    else onRegion((event.shiftKey ? resized : moved)(region, byX, byY));
    event.preventDefault();
  };
  return (
    <button
      ref={picker}
      type="button"
      className={classes.picker}
      data-autofocus
      aria-label={i18n.t(region ? 'find.region.drawn' : 'find.region')}
      aria-describedby={keysId}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        corner.current = at(event);
        onRegion(undefined);
      }}
      onPointerMove={(event) => {
        if (corner.current) onRegion(regionBetween(corner.current, at(event)));
      }}
      onPointerUp={() => {
        corner.current = undefined;
      }}
      onPointerCancel={() => {
        corner.current = undefined;
      }}
    >
      <FrameCanvas frame={frame} />
      <span id={keysId} className={`${classes.keys} visually-hidden`}>
        {i18n.t('find.region.keys')}
      </span>
      <NoFrame frame={frame} />
      {region && <RegionFrame region={region} />}
    </button>
  );
}

/** Why nothing is shown: the frame is still being loaded, or there is none. */
function NoFrame({ frame }: { readonly frame: FoundFrame | undefined }) {
  const i18n = useI18n();
  if (frame?.image) return null;
  const words = (
    <span className={classes.missing}>{i18n.t(frame ? 'find.noFrame' : 'player.buffering')}</span>
  );
  return frame ? words : <Delayed>{words}</Delayed>;
}

/** The outline of a region, over the frame that it is a part of. */
export function RegionFrame({ region }: { readonly region: Region }) {
  const percent = (share: number) => `${share * 100}%`;
  return (
    <span
      className={classes.region}
      style={{
        left: percent(region.left),
        top: percent(region.top),
        width: percent(region.width),
        height: percent(region.height),
      }}
    />
  );
}
