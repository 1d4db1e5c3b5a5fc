import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTop } from '../../components/use-top.ts';
import { useNavigate, useSearch } from '../../routing/react/router-context.tsx';
import { eventLeadMs } from '@vidette/contract/constants';
import { timelineKey } from '../../timeline/timeline-keys.ts';
import { loadArchiveSnapshot } from '../streams/streams-api.ts';
import type { Viewer } from '../stream-view/viewer.ts';
import { KeysDialog } from '../../components/keys-dialog.tsx';
import { eventKeys } from './event-keys.ts';
import { EventPanel } from './event-panel.tsx';
import { isUnreviewed, type EventGroup } from './event-groups.ts';
import { useReview } from './events-api.ts';
import { EventsBody } from './events-body.tsx';
import { EventsHead } from './events-head.tsx';
import type { EventsSearch } from './events-search.ts';
import classes from './events.module.css';
import { StillLoader } from './still-loader.ts';
import { useEventExport, type EventExport } from './use-event-export.ts';
import { useEventKeys } from './use-event-keys.ts';
import { useEvents } from './use-events.ts';

/** What happened, on all cameras and the server: a list beside a player [R11.4]. */
export function EventsScreen() {
  const screen = useRef<HTMLDivElement>(null);
  const [viewer, setViewer] = useState<Viewer>();
  const navigate = useNavigate();
  const search: EventsSearch = useSearch({ from: '/events' });
  const events = useEvents(search);
  const stills = useStills();
  const { group, chosen, choose, close } = useChosen(search, events.groups);
  const exported = useEventExport(group);
  const review = useReview();
  const [hasKeys, setKeys] = useState(false);
  useTop(screen);
  const toggleReviewed = () => {
    if (group) review.mutate(reviewOf([group], isUnreviewed(group)));
  };
  useScreenKeys({ group, chosen, choose, viewer, toggleReviewed, exported, showKeys: () => setKeys(true) });
  const filters = Object.keys(search).filter((name) => name !== 'event');
  const change = useCallback(
    (next: EventsSearch) => void navigate({ to: '/events', search: next, replace: true }),
    [navigate],
  );
  return (
    <div ref={screen} className={classes.screen} data-chosen={group !== undefined}>
      <div className={classes.side}>
        <EventsHead
          events={events}
          search={search}
          onChange={change}
          onReviewAll={() => review.mutate(reviewOf(events.groups ?? [], true))}
          onKeys={() => setKeys(true)}
        />
        <EventsBody
          events={events}
          chosen={chosen}
          stills={stills}
          isFiltered={filters.length > 0}
          isInbox={filters.length === 1 && search.unreviewed === true}
          onChoose={choose}
          onShowAll={() => change({})}
        />
      </div>
      <EventPanel
        group={group}
        hasEvents={events.groups?.length !== 0}
        onViewer={setViewer}
        exported={exported}
        onReview={toggleReviewed}
        onBack={close}
      />
      <KeysDialog rows={eventKeys} isOpen={hasKeys} onClose={() => setKeys(false)} />
    </div>
  );
}

/** The stills of the list, as long as the screen is open. */
function useStills(): StillLoader {
  const [stills] = useState(
    () =>
      new StillLoader({
        fetchStill: async (uid, utcMs, signal) =>
          (await loadArchiveSnapshot(uid, utcMs, STILL_PX, signal)).blob,
        addresses: {
          create: (blob) => URL.createObjectURL(blob),
          release: (address) => URL.revokeObjectURL(address),
        },
      }),
  );
  useEffect(() => () => stills.dispose(), [stills]);
  return stills;
}

const STILL_PX = 320;

/** The chosen event, which is part of the address; `chosen` is -1 without one. */
function useChosen(search: EventsSearch, groups: readonly EventGroup[] | undefined) {
  const navigate = useNavigate();
  const { event } = search;
  const chosen = useMemo(
    () =>
      event === undefined
        ? -1
        : (groups?.findIndex(({ entries }) => entries.some(({ id }) => id === event)) ?? -1),
    [event, groups],
  );
  const goTo = useCallback(
    (group: EventGroup | undefined) => {
      const { event: before, ...filters } = search;
      void navigate({
        to: '/events',
        search: group ? { ...filters, event: group.entries[0].id } : filters,
        // Back leads to the list, and not through every event that was watched.
        replace: before !== undefined,
      });
    },
    [navigate, search],
  );
  const choose = useCallback(
    (place: number) => {
      const last = (groups?.length ?? 0) - 1;
      if (last >= 0) goTo(groups?.[Math.min(Math.max(place, 0), last)]);
    },
    [goTo, groups],
  );
  return { group: chosen < 0 ? undefined : groups?.[chosen], chosen, choose, close: () => goTo(undefined) };
}

/** The entries of some groups whose state differs. */
function reviewOf(groups: readonly EventGroup[], isReviewed: boolean) {
  const ids = groups.flatMap(({ entries }) =>
    entries.filter((entry) => entry.isReviewed !== isReviewed).map(({ id }) => id),
  );
  return { ids, isReviewed };
}

interface ScreenKeys {
  readonly group: EventGroup | undefined;
  readonly chosen: number;
  readonly choose: (place: number) => void;
  readonly viewer: Viewer | undefined;
  readonly toggleReviewed: () => void;
  readonly exported: EventExport;
  readonly showKeys: () => void;
}

/** Connects the keys with the list and the player. */
function useScreenKeys({
  group,
  chosen,
  choose,
  viewer,
  toggleReviewed,
  exported,
  showKeys,
}: ScreenKeys): void {
  const navigate = useNavigate();
  useEventKeys({
    move: (by) => choose(chosen < 0 ? 0 : chosen + by),
    toEnd: (end) => choose(end === 'first' ? 0 : Infinity),
    play: () => {
      if (group) viewer?.timeline.goTo(group.startMs - eventLeadMs);
      viewer?.player.play();
    },
    togglePlayback: () => viewer?.player.toggle(),
    toggleReviewed,
    exportEvent: exported.begin,
    openArchive: () => {
      const uid = group?.entries[0].stream;
      if (group && uid)
        void navigate({ to: '/stream/$uid/view', params: { uid }, search: { t: group.startMs } });
    },
    showKeys,
    other: (key, isShifted) => playerKey(viewer, key, isShifted),
  });
}

/** Keys of the player and the timeline that this screen doesn't use itself. True when the key was handled. */
function playerKey(viewer: Viewer | undefined, key: string, isShifted: boolean): boolean {
  if (!viewer) return false;
  if (key === ',' || key === '.') {
    viewer.player.step(key === '.' ? 1 : -1);
    return true;
  }
  if (key === 'm') {
    viewer.player.setMuted(!viewer.player.getSnapshot().isMuted);
    return true;
  }
  return timelineKey(viewer.timeline, key, isShifted);
}
