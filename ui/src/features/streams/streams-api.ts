import {
  queryOptions,
  useMutation,
  useMutationState,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { ApiError, type RequestOf } from '@vidette/contract/client';
import { limits, polls, timeouts } from '@vidette/contract/constants';
import type { ListedStream, LogLine, StreamState } from '@vidette/contract/entities';
import { api } from '../../api/api.ts';
import { whileCut } from '../../api/while-cut.ts';
import { snapshotAgeMs } from './snapshot-age.ts';

/** The filter and order of a list of streams; `page` and its size belong to the list itself. */
export type StreamFilter = Pick<
  NonNullable<RequestOf<'listStreams'>['query']>,
  'groupType' | 'sortType' | 'onlyAvailable' | 'searchingValues'
>;

/** Streams on one page of the list. */
export const streamsPageSize = 60;

const allStreams = ['streams'] as const;
const pagesKey = [...allStreams, 'pages'] as const;
const statusesKey = [...allStreams, 'statuses'] as const;

/** Options of the polls that report whether a stream is live. */
export const statusOptions = (signal: AbortSignal) => ({ signal, timeoutMs: timeouts.statusMs });

/** One page of the list, from 1. */
export function streamsPageQuery(filter: StreamFilter, page: number) {
  return queryOptions({
    queryKey: [...pagesKey, filter, page],
    queryFn: ({ signal }) =>
      api.listStreams({ query: { ...filter, page, pageSize: streamsPageSize } }, { signal }),
    staleTime: 10_000,
    meta: { isHandled: true },
  });
}

/**
 * The streams between two positions in the list, from 0, whether or not their pages were visited.
 * @param end the position after the last one; Infinity for the rest of the list
 */
export async function loadStreamsBetween(
  filter: StreamFilter,
  first: number,
  end: number,
  signal?: AbortSignal,
): Promise<ListedStream[]> {
  const pageSize = limits.pageSizeMax;
  const streams: ListedStream[] = [];
  for (let page = Math.floor(first / pageSize) + 1; (page - 1) * pageSize < end; page++) {
    const { items } = await api.listStreams({ query: { ...filter, page, pageSize } }, { signal });
    const before = (page - 1) * pageSize;
    streams.push(...items.slice(Math.max(0, first - before), end - before));
    if (items.length < pageSize) break;
  }
  return streams;
}

/** Adds tags to a stream and removes tags; refused when another user saves the stream in between. */
export async function changeTags(
  uid: string,
  added: readonly string[],
  removed: readonly string[],
): Promise<void> {
  const { tags, revision } = await api.getStream({ params: { uid } });
  const next = [...new Set([...tags.filter((tag) => !removed.includes(tag)), ...added])];
  await api.saveStream({ params: { uid }, body: { tags: next, revision } });
}

/** Statuses merged from the last answers, and the revision they reach. */
export interface StreamStatuses {
  readonly revision: number;
  readonly states: ReadonlyMap<string, StreamState>;
}

/**
 * The statuses of all streams by one light call a second [R9.1], while the event stream is cut: the server answers with the
 * changes. Lists are
 * refetched when streams were added, deleted or saved.
 */
export function streamStatusesQuery(queryClient: QueryClient) {
  return queryOptions({
    queryKey: statusesKey,
    queryFn: async ({ signal }): Promise<StreamStatuses> => {
      const before = queryClient.getQueryData<StreamStatuses>(statusesKey);
      const reply = await api.listStreamStatuses(
        { query: { since: before?.revision ?? 0 } },
        statusOptions(signal),
      );
      if (before && reply.listChanged) void queryClient.invalidateQueries({ queryKey: pagesKey });
      if (before && reply.items.length === 0) return { ...before, revision: reply.revision };
      const states = new Map(before?.states);
      for (const state of reply.items) states.set(state.uid, state);
      return { revision: reply.revision, states };
    },
    structuralSharing: false,
    refetchInterval: () => whileCut(polls.streamStatusMs),
    meta: { isHandled: true, isFollowed: true },
  });
}

/** A stream that a warning is about; undefined data while it is not known, or deleted by now. */
export function streamSummaryQuery(uid: string) {
  return queryOptions({
    queryKey: ['stream', uid, 'summary'],
    queryFn: ({ signal }) => api.getStream({ params: { uid } }, { signal }),
    staleTime: 10_000,
    retry: false,
    meta: { isHandled: true },
  });
}

/**
 * One stream, polled every second [R9.1] while the event stream is cut, until it is no longer available, as when a right is revoked [R4.12].
 */
function streamQuery(uid: string) {
  return queryOptions({
    queryKey: ['stream', uid],
    queryFn: ({ signal }) => api.getStream({ params: { uid } }, statusOptions(signal)),
    refetchInterval: (query) => (query.state.error ? false : whileCut(polls.streamStatusMs)),
    meta: { isFollowed: true },
  });
}

/** Lines of a stream's log that the page keeps; the server keeps the same number. */
const keptLogLines = 300;

/** A stream's log, oldest first, followed live: only new lines are requested. */
export function streamLogsQuery(queryClient: QueryClient, uid: string) {
  const queryKey = ['stream', uid, 'logs'];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<readonly LogLine[]> => {
      const before = queryClient.getQueryData<readonly LogLine[]>(queryKey) ?? [];
      const ask = async (after: number) =>
        (await api.getStreamLogs({ params: { uid }, query: { after } }, { signal })).items;
      const last = before.at(-1);
      // The request includes the newest line: after a restart the server numbers lines from the beginning and
      // has a different line, or none, under that number.
      const items = await ask(last ? last.id - 1 : 0);
      if (!last) return items;
      if (items[0]?.id !== last.id || items[0].time !== last.time) return ask(0);
      return items.length === 1 ? before : [...before, ...items.slice(1)].slice(-keptLogLines);
    },
    structuralSharing: false,
    refetchInterval: polls.logsMs,
    gcTime: 0,
    meta: { isHandled: true },
  });
}

/** Metrics of a running stream, for its debug tab. */
export function streamStatsQuery(uid: string) {
  return queryOptions({
    queryKey: ['stream', uid, 'stats'],
    queryFn: ({ signal }) => api.getStreamStats({ params: { uid } }, { signal }),
    refetchInterval: polls.logsMs,
    meta: { isHandled: true },
  });
}

/** How much of a stream is recorded. */
export function archiveStatsQuery(uid: string) {
  return queryOptions({
    queryKey: ['stream', uid, 'archive-stats'],
    queryFn: ({ signal }) => api.getArchiveStats({ params: { uid } }, { signal }),
    refetchInterval: 10_000,
    meta: { isHandled: true },
  });
}

/**
 * Whether recordings of other programs are among those of the streams. One request after another, up to the first
 * stream that has any; a stream whose archive the user may not see is passed over.
 */
export function haveImportedQuery(uids: readonly string[]) {
  return queryOptions({
    queryKey: ['stream', 'have-imported', uids],
    queryFn: async ({ signal }) => {
      for (const uid of uids) {
        const stats = await api.getArchiveStats({ params: { uid } }, { signal }).catch((error: unknown) => {
          signal.throwIfAborted();
          if (error instanceof ApiError) return null;
          throw error;
        });
        if (stats?.importedBytes) return true;
      }
      return false;
    },
    gcTime: 0,
    meta: { isHandled: true },
  });
}

/** The tags in use, offered by forms. */
export const streamTagsQuery = queryOptions({
  queryKey: [...allStreams, 'tags'],
  queryFn: ({ signal }) => api.listStreamTags({}, { signal }),
  staleTime: 30_000,
  meta: { isHandled: true },
});

/** A snapshot with its age on arrival, ms. */
export interface StreamSnapshot {
  readonly blob: Blob;
  readonly ageMs: number;
}

/** The newest snapshot of a stream, for a tile; the server returns the last good one while it takes another. */
export async function loadStreamSnapshot(
  uid: string,
  width: number,
  signal: AbortSignal,
): Promise<StreamSnapshot> {
  return snapshotOf(await api.getStreamPicture({ params: { uid }, query: { width } }, { signal }));
}

/** A snapshot of a recorded moment. */
export async function loadArchiveSnapshot(
  uid: string,
  time: number,
  width: number,
  signal: AbortSignal,
): Promise<StreamSnapshot> {
  const response = await api.getArchivePicture({ params: { uid }, query: { time, width } }, { signal });
  // It shows the requested moment, however long ago that is.
  return { blob: await response.blob(), ageMs: 0 };
}

async function snapshotOf(response: Response): Promise<StreamSnapshot> {
  const blob = await response.blob();
  return { blob, ageMs: snapshotAgeMs(response.headers) };
}

/** Refetches the lists of streams after a change. */
export function streamsChanged(queryClient: QueryClient): Promise<unknown> {
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: pagesKey }),
    queryClient.invalidateQueries({ queryKey: statusesKey }),
    queryClient.invalidateQueries({ queryKey: streamTagsQuery.queryKey }),
  ]);
}

/** Pauses or resumes a stream; shows the status from the answer immediately. */
export function usePauseStream() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ uid, isPaused }: { uid: string; isPaused: boolean }) =>
      isPaused ? api.resumeStream({ body: { uid } }) : api.pauseStream({ body: { uid } }),
    meta: { title: 'streams.failed.pause' },
    onSuccess: (_reply, { uid }) => {
      void queryClient.invalidateQueries({ queryKey: statusesKey });
      return queryClient.invalidateQueries({ queryKey: ['stream', uid] });
    },
  });
}

/** Adds a stream; resolves to its uid. */
export function useAddStream() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'addStream'>['body']) => api.addStream({ body }),
    onSuccess: () => streamsChanged(queryClient),
  });
}

/**
 * One stream for its own pages. While it is being deleted it is no longer polled: the answer could only lead to
 * "not found" before the screen has closed.
 */
export function useStream(uid: string) {
  const deletions = useMutationState({
    filters: { mutationKey: deletionKey(uid) },
    select: ({ state }) => state.status,
  });
  const isGone = deletions.some((status) => status === 'pending' || status === 'success');
  return useQuery({ ...streamQuery(uid), enabled: !isGone });
}

function deletionKey(uid: string) {
  return ['stream', uid, 'delete'];
}

/** Saves a stream; refused when another user has saved it since `revision`. */
export function useSaveStream(uid: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'saveStream'>['body']) => api.saveStream({ params: { uid }, body }),
    onSuccess: (stream) => {
      queryClient.setQueryData(streamQuery(uid).queryKey, stream);
      void queryClient.invalidateQueries({ queryKey: ['stream', uid, 'archive-loss'] });
      return streamsChanged(queryClient);
    },
  });
}

/** Deletes a stream and, with `purge`, its archive. */
export function useDeleteStream(uid: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationKey: deletionKey(uid),
    mutationFn: ({ purge }: { purge: boolean }) => api.deleteStream({ params: { uid }, query: { purge } }),
    onMutate: () => queryClient.cancelQueries({ queryKey: ['stream', uid] }),
    meta: { title: 'streams.failed.delete' },
    onSuccess: () => void streamsChanged(queryClient),
  });
}
