import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { PointerEvent, RefObject } from 'react';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { I18n } from '../../../i18n/i18n.ts';
import { drawnLength, drawnPx, fitCanvas } from '../../../timeline/react/canvas.ts';
import { paletteOf } from '../../../timeline/react/palette.ts';
import type { ArchiveWall } from '../../../playback/wall/archive-wall.ts';
import { drawLanes, trackAt, tracksHeight } from '../../../timeline/draw-timeline-tracks.ts';
import { gapText } from './gap-text.ts';
import classes from './timeline-tracks-view.module.css';

interface TimelineTracksViewProps {
  readonly archive: ArchiveWall;
  readonly streams: readonly { readonly uid: string; readonly name: string }[];
}

const REDRAW_MS = 250;

/** One track for each stream below the shared timeline, on its scale; a click jumps to that moment. */
export function TimelineTracksView({ archive, streams }: TimelineTracksViewProps) {
  const i18n = useI18n();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hover, setHover] = useState<Hover>();
  const { timeline } = archive;
  const heightPx = tracksHeight(streams.length);
  const widthPx = useTracksDrawing(canvas, archive, streams, heightPx);
  const onPointerMove = (event: PointerEvent) => {
    const { offsetX, offsetY } = event.nativeEvent;
    const track = trackAt(streams.length, drawnPx(offsetY));
    setHover(
      track === undefined ? undefined : { track, ms: timeline.getView().scale.toMs(drawnPx(offsetX)) },
    );
  };
  const stream = hover && streams[hover.track];
  return (
    <div className={classes.frame}>
      <div
        className={classes.lanes}
        style={{ height: drawnLength(heightPx) }}
        role="img"
        aria-label={i18n.t('mosaic.lanes')}
      >
        <canvas
          ref={canvas}
          className={classes.canvas}
          style={{ width: drawnLength(widthPx), height: drawnLength(heightPx) }}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setHover(undefined)}
          onClick={(event) =>
            timeline.goTo(timeline.getView().scale.toMs(drawnPx(event.nativeEvent.offsetX)))
          }
        />
        {streams.map(({ uid, name }, at) => (
          <span
            key={uid}
            className={classes.name}
            style={{ top: drawnLength(at * (heightPx / streams.length)) }}
          >
            {name}
          </span>
        ))}
      </div>
      <output className={classes.hover}>{stream ? hoverText(archive, stream, hover.ms, i18n) : ' '}</output>
    </div>
  );
}

interface Hover {
  readonly track: number;
  readonly ms: number;
}

/** Draws after each change, and as time passes. Returns the width of the timeline, px. */
function useTracksDrawing(
  canvasRef: RefObject<HTMLCanvasElement | null>,
  { timeline, tracks, shared }: ArchiveWall,
  streams: TimelineTracksViewProps['streams'],
  heightPx: number,
): number {
  const widthPx = useSyncExternalStore(timeline.subscribe, () => timeline.getView().scale.widthPx);
  useEffect(() => {
    const element = canvasRef.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const draw = () => {
      const density = fitCanvas(element, widthPx, heightPx);
      drawLanes(context, {
        tracks: streams.map(({ uid }) => tracks.intervals(uid)),
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
  }, [canvasRef, timeline, tracks, shared, streams, widthPx, heightPx]);
  return widthPx;
}

function hoverText(
  { tracks }: ArchiveWall,
  { uid, name }: TimelineTracksViewProps['streams'][number],
  ms: number,
  i18n: I18n,
): string {
  const kind = tracks.intervalAt(uid, ms)?.kind;
  const state = kind === 'gap' ? `: ${gapText(tracks.causeAt(uid, ms), i18n)}` : '';
  return `${name}, ${i18n.time(ms)}${state}`;
}
