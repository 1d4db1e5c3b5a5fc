import type { ListedStream } from '@vidette/contract/entities';
import { useEffect, useRef } from 'react';
import { SnapshotAge, StillImage } from '../../components/fresh-snapshot.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { StreamStatus } from '../streams/stream-status.tsx';
import { useInView } from '../streams/use-in-view.ts';
import { smallStills, useStreamStill } from '../streams/use-stream-still.ts';
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

/** The keys of the first cameras. */
const keys = '1234567890';

function Camera({ stream, place, isShown, onShow }: CameraProps) {
  const { uid, name } = stream;
  const key = keys[place];
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
        aria-keyshortcuts={key}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
          event.preventDefault();
          onShow(uid);
        }}
      >
        <Still stream={stream} isShown={isShown} />
        <span className={classes.foot}>
          {key !== undefined && (
            <span className={classes.key} aria-hidden="true">
              {key}
            </span>
          )}
          <span className={classes.name} title={name}>
            {name}
          </span>
        </span>
      </Link>
    </li>
  );
}

const stillOptions = { widthPx: 320, ...smallStills };

type StillProps = Pick<CameraProps, 'stream' | 'isShown'>;

/** Fetched while it is in view. */
function Still(props: StillProps) {
  const box = useRef<HTMLSpanElement>(null);
  const isInView = useInView(box);
  return (
    <span ref={box} className={classes.still}>
      {isInView && <FetchedStill {...props} />}
    </span>
  );
}

function FetchedStill({ stream: { uid, status, live }, isShown }: StillProps) {
  const isRunning = status === 'running';
  // Whether an on-demand stream connects depends on what the player shows, which says so.
  const isLeftToPlayer = isShown && live.onDemand && status === 'pending';
  const still = useStreamStill(uid, status, stillOptions);
  return (
    <>
      <StillImage still={still} />
      {isRunning && <SnapshotAge still={still} />}
      {!isRunning && !isLeftToPlayer && (
        <span className={classes.state}>
          <StreamStatus status={status} isOnDemand={live.onDemand} />
        </span>
      )}
    </>
  );
}
