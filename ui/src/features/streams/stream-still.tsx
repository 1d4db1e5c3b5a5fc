import { useRef } from 'react';
import { OLD_MS, StillImage } from '../../components/fresh-snapshot.tsx';
import { useInView } from './use-in-view.ts';
import { useStreamStill } from './use-stream-still.ts';
import classes from './stream-still.module.css';

const options = { widthPx: 320, everyMs: 60_000, oldAfterMs: OLD_MS };

/** A small snapshot that shows which stream is meant, over its parent; fetched while it is in view. */
export function StreamStill({ uid }: { readonly uid: string }) {
  const box = useRef<HTMLSpanElement>(null);
  const isInView = useInView(box);
  return (
    <span ref={box} className={classes.still} aria-hidden="true">
      {isInView && <Fetched uid={uid} />}
    </span>
  );
}

function Fetched({ uid }: { readonly uid: string }) {
  // Its age does not matter where only the camera is meant: it is fetched once.
  return <StillImage still={{ ...useStreamStill(uid, 'disabled', options), old: undefined }} />;
}
