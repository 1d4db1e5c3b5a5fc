import type { MosaicLayout } from '@vidette/contract/entities';
import { useEffect, useState, type CSSProperties, type RefCallback } from 'react';
import { SkipLink } from '../../../components/skip-link.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { inReadingOrder } from '../grid/grid.ts';
import type { Wall } from '../../../playback/wall/wall.ts';
import { LostTile, type Loss } from './lost-tile.tsx';
import type { StreamFacts } from './stream-facts.ts';
import { WallTileView } from './wall-tile-view.tsx';
import classes from './wall.module.css';

interface WallGridProps {
  /** The wall exists as long as the element of the grid. */
  readonly gridRef: RefCallback<HTMLElement>;
  readonly wall: Wall | undefined;
  readonly layout: MosaicLayout;
  /** The visible page, from 0. */
  readonly page: number;
  readonly label: string;
  readonly facts: StreamFacts;
}

/** Where the keyboard continues behind the tiles. */
const END_ID = 'behind-tiles';

/** The tiles of one page of a mosaic; one of them may be enlarged over the others. */
export function WallGrid({ gridRef, wall, layout, page, label, facts }: WallGridProps) {
  const i18n = useI18n();
  const [enlarged, setEnlarged] = useEnlarged();
  /** By position: streams that were watched there and are no longer available to the viewer. */
  const [lost, setLost] = useState<ReadonlyMap<string, Lost>>(new Map());
  const tiles = inReadingOrder(layout, page).flatMap((index) => {
    const cell = layout.cells[index];
    return cell ? [{ cell, id: `${page} ${cell.x} ${cell.y} ${cell.stream}` }] : [];
  });
  const isHere = tiles.some(({ id }) => id === enlarged);
  return (
    <div
      ref={gridRef}
      role="group"
      aria-label={label}
      className={classes.grid}
      style={{
        gridTemplateColumns: `repeat(${layout.columns}, minmax(0, 1fr))`,
        gridTemplateRows: `repeat(${layout.rows}, minmax(0, 1fr))`,
      }}
    >
      <SkipLink to={END_ID}>{i18n.t('wall.skip')}</SkipLink>
      {tiles.map(({ cell, id }) => {
        const style = {
          gridColumn: `${cell.x + 1} / span ${cell.width}`,
          gridRow: `${cell.y + 1} / span ${cell.height}`,
        };
        const place = `${page} ${cell.x} ${cell.y}`;
        const gone = lost.get(place);
        if (cell.stream === null && gone)
          return <LostTile key={place} name={gone.name} loss={gone.loss} style={style} />;
        if (cell.stream === null) return <EmptyTile key={id} style={style} />;
        const isEnlarged = enlarged === id;
        const name = facts.nameOf(cell.stream) ?? '';
        return (
          <WallTileView
            key={id}
            id={id}
            wall={wall}
            uid={cell.stream}
            name={name}
            facts={facts}
            onLoss={(loss) => setLost((known) => withLoss(known, place, loss && { name, loss }))}
            style={style}
            isEnlarged={isEnlarged}
            isCovered={isHere && !isEnlarged}
            onEnlarge={() => setEnlarged(isEnlarged ? undefined : id)}
          />
        );
      })}
      <span id={END_ID} tabIndex={-1} className="visually-hidden" />
    </div>
  );
}

/** The enlarged tile; Escape returns it to the others. */
function useEnlarged() {
  const [enlarged, setEnlarged] = useState<string>();
  useEffect(() => {
    if (enlarged === undefined) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.fullscreenElement) return;
      event.preventDefault();
      setEnlarged(undefined);
    };
    // Runs before other handlers of the same key that leave something.
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [enlarged]);
  return [enlarged, setEnlarged] as const;
}

function EmptyTile({ style }: { style: CSSProperties }) {
  const i18n = useI18n();
  return (
    <div className={classes.empty} style={style}>
      <span className="visually-hidden">{i18n.t('wall.empty')}</span>
    </div>
  );
}

interface Lost {
  readonly name: string;
  readonly loss: Loss;
}

/** The same map when nothing changes, so that nothing re-renders. */
function withLoss(
  known: ReadonlyMap<string, Lost>,
  place: string,
  lost: Lost | undefined,
): ReadonlyMap<string, Lost> {
  if (known.get(place)?.loss === lost?.loss) return known;
  const next = new Map(known);
  if (lost) next.set(place, lost);
  else next.delete(place);
  return next;
}
