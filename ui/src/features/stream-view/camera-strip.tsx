import type { ListedStream, StreamStatus as Status } from '@vidette/contract/entities';
import { useCallback, useEffect, useRef, useState } from 'react';
import { SnapshotAge, StillImage, useFreshStill } from '../../components/fresh-snapshot.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { StreamStatus } from '../streams/stream-status.tsx';
import { loadStreamSnapshot } from '../streams/streams-api.ts';
import classes from './camera-strip.module.css';
import type { Neighbours } from './use-neighbours.ts';

interface CameraStripProps {
  /** The stream on screen. */
  readonly uid: string;
  readonly neighbours: Neighbours;
}

/** Stills of the other cameras beside the player; choosing one keeps the moment. */
export function CameraStrip({ uid, neighbours }: CameraStripProps) {
  const i18n = useI18n();
  return (
    <nav className={classes.strip} aria-label={i18n.t('player.cameras')} data-camera-strip="">
      <ol className={classes.list}>
        {neighbours.streams.map((stream, place) => (
          <Camera
            key={stream.uid}
            stream={stream}
            place={place}
            isShown={stream.uid === uid}
            onShow={neighbours.show}
          />
        ))}
      </ol>
    </nav>
  );
}

interface CameraProps {
  readonly stream: ListedStream;
  /** From 0. */
  readonly place: number;
  readonly isShown: boolean;
  readonly onShow: (uid: string) => void;
}

/** Cameras with a key. */
const KEYS = 9;

function Camera({ stream: { uid, name, status }, place, isShown, onShow }: CameraProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // Only the strip scrolls: the page around it stays where it is.
    const list = item.current?.parentElement;
    if (!isShown || !item.current || !list) return;
    list.scrollTop = item.current.offsetTop - list.clientHeight / 2;
    list.scrollLeft = item.current.offsetLeft - list.clientWidth / 2;
  }, [isShown]);
  return (
    <li ref={item} className={classes.item}>
      <Link
        to="/stream/$uid/view"
        params={{ uid }}
        className={classes.camera}
        {...(place < KEYS ? { 'aria-keyshortcuts': String(place + 1) } : {})}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
          event.preventDefault();
          onShow(uid);
        }}
      >
        <Still uid={uid} status={status} />
        <span className={classes.foot}>
          {place < KEYS && (
            <span className={classes.key} aria-hidden="true">
              {place + 1}
            </span>
          )}
          <span className={classes.name}>{name}</span>
        </span>
      </Link>
    </li>
  );
}

const EVERY_MS = 10_000;
/** Two intervals, as in the table of streams. */
const OLD_AFTER_MS = 2 * EVERY_MS;
const WIDTH_PX = 320;

interface StillProps {
  readonly uid: string;
  readonly status: Status;
}

/** Fetched while it is in view. */
function Still({ uid, status }: StillProps) {
  const box = useRef<HTMLSpanElement>(null);
  const [isInView, setInView] = useState(false);
  useEffect(() => {
    if (!box.current) return;
    const observer = new IntersectionObserver((entries) =>
      setInView(entries.at(-1)?.isIntersecting ?? false),
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return (
    <span ref={box} className={classes.still}>
      {isInView && <FetchedStill uid={uid} status={status} />}
    </span>
  );
}

function FetchedStill({ uid, status }: StillProps) {
  const isRunning = status === 'running';
  const load = useCallback((signal: AbortSignal) => loadStreamSnapshot(uid, WIDTH_PX, signal), [uid]);
  const still = useFreshStill(load, isRunning ? EVERY_MS : null, OLD_AFTER_MS);
  return (
    <>
      <StillImage still={still} />
      {isRunning ? (
        <SnapshotAge still={still} />
      ) : (
        <span className={classes.state}>
          <StreamStatus status={status} />
        </span>
      )}
    </>
  );
}
