import type { z } from 'zod';
import type { StreamToSave } from '@vidette/contract/calls/streams';
import type { Stream, StreamState } from '@vidette/contract/entities';
import { requireStreamRight, viewerOf } from '../../access/stream-policy.ts';
import type { StreamQuery } from '../../store/stream-list.ts';
import type { Registrar } from '../registrar.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { StreamManager } from '../../engine/stream-manager.ts';
import type { StatusWriter } from '../../system/status-writer.ts';
import type { Membership } from '../../cluster/membership.ts';
import type { StreamService } from '../../streams/stream-service.ts';
import type { StreamInsight } from '../../streams/stream-insight.ts';
import type { WatchLog } from '../../system/watch-log.ts';
import { requireUnchanged } from '../../base/unchanged.ts';
import { changesBetween } from '../../system/audit-changes.ts';
import type { StreamRecord } from '../../store/stream-row.ts';
import { shownSource } from '../../dial/address.ts';
import { settingsShown } from '../../streams/stream-settings.ts';
import { failureReasonOf, viewOf } from '../../streams/stream-view.ts';

/** What streams need. */
export interface StreamServices {
  readonly clock: Clock;
  readonly store: Pick<Store, 'streamList'>;
  readonly streamManager: Pick<StreamManager, 'find' | 'state' | 'streams' | 'changes'>;
  readonly statuses: Pick<StatusWriter, 'settle'>;
  readonly membership: Pick<Membership, 'isAvailable' | 'hasNode'>;
  readonly streamService: StreamService;
  /** Of streams on any node. */
  readonly insight: StreamInsight;
  readonly watchLog: Pick<WatchLog, 'touch'>;
}

/** Streams: list, read, add, change, pause, delete, and the state of a running one. */
export function registerStreams(registrar: Registrar, services: StreamServices): void {
  registerLists(registrar, services);
  registerChanges(registrar, services);
  registerRunning(registrar, services);
}

function registerLists(registrar: Registrar, services: StreamServices): void {
  const { store, streamManager, statuses, membership, clock, streamService } = services;
  // Revisions of one run must not be confused with those of another: they begin above any that an earlier run
  // can have reached.
  const firstRevision = clock.wallMs();

  registrar.handle('listStreams', async ({ principal, query, language }) => {
    const onlyAvailable = query.onlyAvailable || query.isOnlyAvailable;
    const sort = query.sortType.replace('-', '') as StreamQuery['sort'];
    if (onlyAvailable || sort === 'status') await statuses.settle();
    const page = await store.streamList.page(viewerOf(principal), {
      page: query.page,
      pageSize: query.pageSize,
      sort,
      descending: query.sortType.startsWith('-'),
      byTag: query.groupType === 'tag',
      onlyAvailable,
      onlyPublic: query.onlyPublic,
      words: query.searchingValues,
    });
    return {
      items: page.items.map((item) => ({
        ...viewOf(services, item, language),
        group: item.group,
      })),
      total: page.total,
      page: query.page,
      pageSize: query.pageSize,
      groups: page.groups,
    };
  });

  registrar.handle('listStreamStatuses', async ({ principal, query, language }) => {
    const revision = firstRevision + streamManager.changes.revision;
    if (query.since === revision) return { items: [], revision, listChanged: false };
    const since = query.since - firstRevision;
    const changed = since < 0 ? undefined : streamManager.changes.since(since);
    const viewable = await store.streamList.viewableUids(viewerOf(principal));
    const items: StreamState[] = [];
    for (const { settings, state } of changed ? runningOf(services, changed) : streamManager.streams()) {
      if (viewable && !viewable.has(settings.uid)) continue;
      const isAvailable = state.status === 'pending' || state.status === 'running';
      if ((query.onlyAvailable || query.isOnlyAvailable) && !isAvailable) continue;
      items.push({
        uid: settings.uid,
        status: state.status,
        failureReason: failureReasonOf(state, language),
        nodeAvailable: membership.hasNode(settings.uid),
      });
    }
    return { items, revision, listChanged: changed === undefined || since < streamService.listRevision };
  });

  registrar.handle('listStreamTags', async ({ principal }) => {
    return { items: await store.streamList.tags(viewerOf(principal)) };
  });
}

function* runningOf(services: StreamServices, uids: Iterable<string>) {
  for (const uid of uids) {
    const stream = services.streamManager.find(uid);
    if (stream) yield stream;
  }
}

function registerChanges(registrar: Registrar, services: StreamServices): void {
  const { store, streamManager, streamService } = services;

  registrar.handle('addStream', async ({ principal, body, audit }) => {
    const { uid } = await streamService.add(principal, body);
    audit.target = uid;
    return { uid };
  });

  registrar.handle('getStream', ({ stream, query, language }) => {
    const { uid } = stream.stream;
    if (query.extend_lease) streamManager.find(uid)?.demand.extend();
    return viewOf(services, stream, language);
  });

  registrar.handle('saveStream', async ({ principal, stream, body, language, audit }) => {
    requireFixedOfStream(body, viewOf(services, stream, language));
    const saved = await streamService.save(principal, stream.stream, body);
    audit.details = { changes: changesOfStream(stream.stream, saved) };
    return viewOf(services, { ...stream, stream: saved }, language);
  });

  registrar.handle('deleteStream', async ({ stream, query, audit }) => {
    audit.details = { name: stream.stream.name, purge: query.purge };
    await streamService.remove(stream.stream, { purge: query.purge });
    return {};
  });

  for (const [name, isPaused] of [
    ['pauseStream', true],
    ['resumeStream', false],
  ] as const) {
    registrar.handle(name, async ({ principal, body }) => {
      const seen = await store.streamList.find(viewerOf(principal), body.uid);
      const { stream } = requireStreamRight(principal, seen, 'edit');
      await streamService.setPaused(stream, isPaused);
      return { status: streamManager.state(stream.uid).status };
    });
  }
}

/** These may change by themselves between reading and saving; `paused` is set by a user. */
const passingStatuses: ReadonlySet<string> = new Set(['pending', 'running', 'failed']);

function requireFixedOfStream(body: z.output<typeof StreamToSave>, view: Stream): void {
  const fixed = [
    'uid',
    'id',
    'createdBy',
    'createdAt',
    'canEdit',
    'canArchive',
    'canShare',
    'isPublic',
  ] as const;
  requireUnchanged(body, view, fixed);
  if (body.node) requireUnchanged(body.node, view.node, ['id'], 'node.');
  const passes = (status: string) => passingStatuses.has(status);
  if (body.status === undefined || (passes(body.status) && passes(view.status))) return;
  requireUnchanged(body, view, ['status']);
}

/**
 * Addresses as users see them who may not edit the stream; where only a hidden part changed, the fact that it
 * did.
 */
function changesOfStream(before: StreamRecord, after: StreamRecord): object {
  const changes = changesBetween(settingsShown(before, shownSource), settingsShown(after, shownSource));
  for (const [path, member] of [
    ['streamSource', 'source'],
    ['subStreamSource', 'subSource'],
  ] as const) {
    if (before[member] !== after[member]) changes[path] ??= ['***', '***'];
  }
  return changes;
}

function registerRunning(registrar: Registrar, { insight, watchLog }: StreamServices): void {
  registrar.handle('getStreamPicture', async ({ stream, principal, query, ip }) => {
    const { uid } = stream.stream;
    const snapshot = await insight.snapshot(uid, query.width);
    watchLog.touch({ mode: 'watchStills', uid, login: principal.user.login, ip });
    return {
      contentType: 'image/jpeg',
      body: snapshot.jpeg,
      headers: { 'x-picture-time': String(snapshot.timeMs) },
    };
  });

  registrar.handle('getStreamLogs', ({ stream, query }) => insight.logs(stream.stream.uid, query.after));

  registrar.handle('getStreamStats', ({ stream, language }) => insight.stats(stream.stream.uid, language));
}
