import { useEffect, useRef, useState, useSyncExternalStore, type PointerEvent } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { paletteOf } from '../../timeline/react/palette.ts';
import type { ArchiveWall } from '../archive-wall.ts';
import { drawLanes, laneAt, lanesHeight } from '../draw-lanes.ts';
import { gapWords } from './gap-words.ts';
import classes from './lanes-view.module.css';

interface LanesViewProps {
  readonly archive: ArchiveWall;
  readonly streams: readonly { readonly uid: string; readonly name: string }[];
}

const REDRAW_MS = 250;

/** One lane for each stream under the shared timeline, on its scale; a click goes to that moment. */
export function LanesView({ archive, streams }: LanesViewProps) {
  const i18n = useI18n();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hover, setHover] = useState<{ lane: number; ms: number }>();
  const { timeline, lanes, shared } = archive;
  const widthPx = useSyncExternalStore(timeline.subscribe, () => timeline.getView().scale.widthPx);
  const heightPx = lanesHeight(streams.length);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const draw = () => {
      const density = window.devicePixelRatio;
      element.width = Math.round(widthPx * density);
      element.height = Math.round(heightPx * density);
      drawLanes(context, {
        lanes: streams.map(({ uid }) => lanes.intervals(uid)),
        scale: timeline.getView().scale,
        playheadMs: shared.utcMs,
        palette: paletteOf(getComputedStyle(element)),
        density,
      });
    };
    draw();
    const timer = setInterval(draw, REDRAW_MS);
    const unsubscribe = timeline.subscribe(draw);
    return () => {
      clearInterval(timer);
      unsubscribe();
    };
  }, [timeline, lanes, shared, streams, widthPx, heightPx]);

  const placeOf = (event: PointerEvent) => {
    const { offsetX, offsetY } = event.nativeEvent;
    const lane = laneAt(streams.length, offsetY);
    return lane === undefined ? undefined : { lane, ms: timeline.getView().scale.toMs(offsetX) };
  };
  const stream = hover && streams[hover.lane];
  const words = stream && wordsOf(stream, hover.ms);
  function wordsOf({ uid, name }: { readonly uid: string; readonly name: string }, ms: number): string {
    const kind = lanes.intervalAt(uid, ms)?.kind;
    const state = kind === 'gap' ? `: ${gapWords(lanes.causeAt(uid, ms), i18n)}` : '';
    return `${name}, ${i18n.time(ms)}${state}`;
  }
  return (
    <div className={classes.frame}>
      <div
        className={classes.lanes}
        style={{ height: heightPx }}
        role="img"
        aria-label={i18n.t('mosaic.lanes')}
      >
        <canvas
          ref={canvas}
          className={classes.canvas}
          style={{ width: widthPx, height: heightPx }}
          onPointerMove={(event) => setHover(placeOf(event))}
          onPointerLeave={() => setHover(undefined)}
          onClick={(event) => timeline.goTo(timeline.getView().scale.toMs(event.nativeEvent.offsetX))}
        />
        {streams.map(({ uid, name }, at) => (
          <span key={uid} className={classes.name} style={{ top: at * (heightPx / streams.length) }}>
            {name}
          </span>
        ))}
      </div>
      <output className={classes.hover}>{words ?? ' '}</output>
    </div>
  );
}
