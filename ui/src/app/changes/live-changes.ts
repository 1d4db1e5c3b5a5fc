import type { QueryClient } from '@tanstack/react-query';
import type { StreamState } from '@vidette/contract/entities';
import { onUser, refreshUser, userOf } from '../../api/session.ts';
import type { ServerEvent, ServerEventStream } from './server-events.ts';
import { setFollowing } from '../../api/while-cut.ts';

/** Keeps the page's queries up to date with what the server reports. */
export function followChanges(
  events: ServerEventStream,
  queryClient: QueryClient,
  page: Pick<Document, 'hidden' | 'addEventListener'>,
  network: Pick<Window, 'addEventListener'>,
): void {
  setFollowing(events.isConnected);
  const refresh = (...keys: (readonly string[])[]) => {
    for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey });
  };
  // The polls begin when the stream breaks; when it is back, they fill the gap once more, and end.
  events.watch(() => refreshPolled(queryClient));
  events.listen((event) => apply(event, queryClient, refresh));
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

function apply(
  event: ServerEvent,
  queryClient: QueryClient,
  refresh: (...keys: (readonly string[])[]) => void,
): void {
  switch (event.name) {
    case 'reload':
      refreshPolled(queryClient);
      return;
    case 'statuses':
      for (const state of event.data.items) show(queryClient, state);
      showInLists(queryClient, event.data.items);
      return;
    case 'streams':
      refresh(['streams', 'pages'], ['streams', 'tags'], ['stream'], ['mosaic']);
      return;
    case 'journal':
      // The page of events shows new entries when its reader asks for them.
      refresh(['journal', 'newest'], ['journal', 'summary']);
      return;
    case 'health':
      refresh(['health']);
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
