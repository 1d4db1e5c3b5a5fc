import type { ArchiveExtent } from '@vidette/contract/entities';
import { addressOf } from '@vidette/contract/routes';
import { useEffect, useState } from 'react';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import classes from './save.module.css';

/** Twice the width of the two images side by side, for sharp screens; pixels. */
const WIDTH_PX = 320;

/** A server that was too busy is asked again, ms. */
const RETRY_MS = 5_000;

interface EndFramesProps {
  readonly uid: string;
  /** Undefined while it is unknown. */
  readonly extent: ArchiveExtent | undefined;
}

/** The first and the last recorded frame of a range, each with its time. */
export function EndFrames({ uid, extent }: EndFramesProps) {
  const i18n = useI18n();
  if (extent && (extent.startTime === null || extent.endTime === null)) return null;
  return (
    <div className={classes.ends}>
      <EndFrame uid={uid} label={i18n.t('save.first')} ms={extent?.startTime ?? undefined} />
      <EndFrame uid={uid} label={i18n.t('save.last')} ms={extent?.endTime ? extent.endTime - 1 : undefined} />
    </div>
  );
}

interface EndFrameProps {
  readonly uid: string;
  readonly label: string;
  readonly ms: number | undefined;
}

function EndFrame({ uid, label, ms }: EndFrameProps) {
  const i18n = useI18n();
  const [failedMs, setFailedMs] = useState<number>();
  useEffect(() => {
    if (failedMs === undefined) return;
    const timer = setTimeout(() => setFailedMs(undefined), RETRY_MS);
    return () => clearTimeout(timer);
  }, [failedMs]);
  return (
    <figure>
      <div className={classes.endFrame}>
        {ms !== undefined && failedMs === ms && <span>{i18n.t('save.noFrame')}</span>}
        {ms !== undefined && failedMs !== ms && (
          <img
            src={addressOf('getArchivePicture', { uid }, { time: Math.floor(ms), width: WIDTH_PX })}
            alt=""
            onError={() => setFailedMs(ms)}
          />
        )}
      </div>
      <figcaption>
        {label}
        {ms !== undefined && <time dateTime={new Date(ms).toISOString()}>{i18n.time(ms)}</time>}
      </figcaption>
    </figure>
  );
}
