import { useEffect, useState, type ReactNode } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { entryText, entryTitle } from './entry-text.ts';
import { firstOf, isUnreviewed, type EventGroup } from './event-groups.ts';
import { HoverVideo } from './hover-video.tsx';
import { KindIcon } from './kind-icon.tsx';
import classes from './events.module.css';
import type { StillLoader } from './still-loader.ts';

interface EventCardProps {
  readonly group: EventGroup;
  readonly stills: StillLoader;
}

/** A pointer that passes does not start a video. */
const HOVER_MS = 350;
const canHover = matchMedia('(hover: hover) and (pointer: fine)').matches;

/** What a card shows: a still that plays under the pointer, the camera, when, how long, and what. */
export function EventCard({ group, stills }: EventCardProps) {
  const i18n = useI18n();
  const [isHovered, setHovered] = useState(false);
  const entry = firstOf(group);
  const { stream } = entry;
  return (
    <span
      className={classes.card}
      data-reviewed={!isUnreviewed(group)}
      onPointerEnter={() => setHovered(canHover)}
      onPointerLeave={() => setHovered(false)}
    >
      <span className={classes.still} data-empty={stream === null}>
        {stream === null ? (
          <KindIcon entry={entry} />
        ) : (
          <>
            <EventStill
              uid={stream}
              utcMs={stillMs(group)}
              stills={stills}
              missing={<KindIcon entry={entry} />}
            />
            {isHovered && <Hovered uid={stream} startMs={group.startMs} endMs={group.endMs} />}
          </>
        )}
      </span>
      <span className={classes.facts}>
        <span className={classes.camera}>{entry.streamName ?? i18n.t('events.system')}</span>
        {isUnreviewed(group) && <span className="visually-hidden">{i18n.t('events.unreviewed')}</span>}
        <span className={classes.what}>
          <KindIcon entry={entry} />
          <span>{entryTitle(entry, i18n)}</span>
          {group.entries.length > 1 && (
            <span className={classes.count}>{i18n.t('events.times', { count: group.entries.length })}</span>
          )}
        </span>
        <span className={classes.when}>
          <time dateTime={new Date(group.startMs).toISOString()}>{i18n.time(group.startMs)}</time>
          {lengthText(group, i18n)}
        </span>
        <span className={classes.text}>{entryText(entry, i18n)}</span>
      </span>
    </span>
  );
}

/** How long it lasted, after a separator; empty for a point in time. */
export function lengthText({ entries, startMs, endMs }: EventGroup, i18n: I18n): string {
  if (entries[0].isOngoing) return ` · ${i18n.t('events.ongoing')}`;
  return endMs > startMs ? ` · ${i18n.duration(endMs - startMs)}` : '';
}

/** In the middle of a short event; motion shows most a moment after it began. */
const STILL_AFTER_MS = 2_000;

function stillMs(group: EventGroup): number {
  const { startTime, endTime } = firstOf(group);
  return Math.round(startTime + Math.min(STILL_AFTER_MS, ((endTime ?? startTime) - startTime) / 2));
}

interface EventStillProps {
  readonly uid: string;
  readonly utcMs: number;
  readonly stills: StillLoader;
  /** Shown where nothing is recorded. */
  readonly missing: ReactNode;
}

/** A card that passes in a quick scroll requests nothing. */
const STAY_MS = 120;

function EventStill({ uid, utcMs, stills, missing }: EventStillProps) {
  const [address, setAddress] = useState(() => stills.known(uid, utcMs));
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => stills.load(uid, utcMs, abort.signal, setAddress), STAY_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [uid, utcMs, stills]);
  return address ? <img src={address} alt="" data-still="" /> : address === null && missing;
}

function Hovered(props: { readonly uid: string; readonly startMs: number; readonly endMs: number }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), HOVER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isDue ? <HoverVideo {...props} /> : null;
}
