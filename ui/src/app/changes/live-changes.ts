import type { QueryClient } from '@tanstack/react-query';
import { polls } from '@vidette/contract/constants';
import type { StreamState } from '@vidette/contract/entities';
import type { StreamNews } from '@vidette/contract/events';
import { onUser, refreshUser, userOf } from '../../api/session.ts';
import { setFollowing } from '../../api/while-cut.ts';
import { browserClock, type PageClock } from '../../base/clock.ts';
import type { ServerEvent, ServerEventStream } from './server-events.ts';
import { Sparing } from './sparing.ts';

/**
 * What every entry of the journal changes, and what follows from many, is fetched immediately while entries are rare. On a night with
 * one each second, everyone would otherwise ask as often as if they polled.
 */
const sparingly = { atOnce: 4, everyMs: polls.healthMs };

/** Keeps the page's queries up to date with what the server reports. */
export function followChanges(
  events: ServerEventStream,
  queryClient: QueryClient,
  page: Pick<Document, 'hidden' | 'addEventListener'>,
  network: Pick<Window, 'addEventListener'>,
  clock: PageClock = browserClock,
): void {
  setFollowing(events.isConnected);
  const refresh = (...keys: (readonly string[])[]) => {
    for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey });
  };
  // The polls begin when the stream breaks; when it is back, they fill the gap once more, and end.
  events.watch(() => refreshPolled(queryClient));
  const tools = {
    queryClient,
    refresh,
    badge: new Sparing(() => refresh(['journal', 'summary']), sparingly, clock),
    warnings: new Sparing(() => refresh(['health']), sparingly, clock),
  };
  events.listen((event) => apply(event, tools));
  // A browser has few connections to a server: a hidden tab needs none.
  const move = () => {
    if (userOf(queryClient) && !page.hidden) events.start();
    else events.stop();
  };
  page.addEventListener('visibilitychange', move);
  // A connection of the network that was left may stay silent for long; one that still works is back in a moment.
  network.addEventListener('offline', () => {
    events.stop();
    move();
  });
  let login = userOf(queryClient)?.name;
  onUser(queryClient, (user) => {
    if (user?.name !== login) events.forget();
    login = user?.name;
    move();
  });
  move();
}

/** What is on screen and polled while the stream is cut. */
function refreshPolled(queryClient: QueryClient): void {
  void queryClient.refetchQueries({ type: 'active', predicate: ({ meta }) => meta?.isFollowed === true });
}

interface Tools {
  readonly queryClient: QueryClient;
  readonly refresh: (...keys: (readonly string[])[]) => void;
  /** The number of unreviewed events; it is also polled. */
  readonly badge: Sparing;
  /** The warnings about streams. */
  readonly warnings: Sparing;
}

function apply(event: ServerEvent, { queryClient, refresh, badge, warnings }: Tools): void {
  switch (event.name) {
    case 'reload':
      refreshPolled(queryClient);
      return;
    case 'statuses':
      for (const news of event.data.items) show(queryClient, stateOf(news));
      showInLists(queryClient, event.data.items.map(stateOf));
      return;
    case 'streams':
      refresh(['streams', 'pages'], ['streams', 'tags'], ['stream'], ['mosaic']);
      return;
    case 'journal':
      // The page of events shows new entries when its reader asks for them.
      refresh(['journal', 'newest']);
      badge.note();
      return;
    case 'health':
      if (event.data.ofStreams) warnings.note();
      else refresh(['health']);
      return;
    case 'exports':
      refresh(['exports']);
      return;
    case 'mosaics':
      refresh(['mosaics'], ['mosaic']);
      return;
    case 'nodes':
      refresh(['cluster']);
      return;
    case 'account':
      refreshUser(queryClient);
      refresh(['sessions'], ['tokens'], ['streams', 'pages'], ['stream'], ['mosaics'], ['mosaic']);
      return;
  }
}

function stateOf(news: StreamNews): StreamState {
  return { failureReason: null, nodeAvailable: true, ...news };
}

/** The new state of a stream whose page is open: first what is known of it, then the rest. */
function show(queryClient: QueryClient, { uid, status, failureReason }: StreamState): void {
  for (const queryKey of [
    ['stream', uid],
    ['stream', uid, 'watched'],
  ]) {
    if (!queryClient.getQueryState(queryKey)?.data) continue;
    queryClient.setQueryData(
      queryKey,
      (known: object | undefined) => known && { ...known, status, failureReason },
    );
    void queryClient.invalidateQueries({ queryKey, exact: true });
  }
}

interface KnownStates {
  readonly revision: number;
  readonly states: ReadonlyMap<string, StreamState>;
}

/** The revision stays: a poll after a break asks for everything since the last one. */
function showInLists(queryClient: QueryClient, items: readonly StreamState[]): void {
  queryClient.setQueryData<KnownStates>(['streams', 'statuses'], (known) => {
    if (!known) return known;
    const states = new Map(known.states);
    for (const state of items) states.set(state.uid, state);
    return { ...known, states };
  });
}
