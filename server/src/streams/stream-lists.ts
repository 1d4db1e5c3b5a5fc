import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import type { StreamState } from '@vidette/contract/entities';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { Principal } from '../access/principal.ts';
import { viewerOf } from '../access/stream-policy.ts';
import type { Clock } from '../base/clock.ts';
import type { Membership } from '../cluster/membership.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Store } from '../store/store.ts';
import { isFigureSort, type StreamQuery } from '../store/stream-list.ts';
import type { StatusWriter } from '../system/status-writer.ts';
import type { StreamService } from './stream-service.ts';
import type { SortFigures } from './sort-figures.ts';
import { failureReasonOf, viewOf } from './stream-view.ts';

type ListQuery = z.output<Calls['listStreams']['query']>;
type StatusQuery = z.output<Calls['listStreamStatuses']['query']>;

export interface StreamListsOptions {
  readonly clock: Clock;
  readonly store: Pick<Store, 'streamList'>;
  readonly streamManager: Pick<StreamManager, 'find' | 'state' | 'streams' | 'changes'>;
  readonly statuses: Pick<StatusWriter, 'settle'>;
  readonly membership: Pick<Membership, 'isAvailable' | 'hasNode'>;
  readonly streamService: Pick<StreamService, 'listRevision'>;
  readonly sortFigures: Pick<SortFigures, 'of'>;
}

/** Lists of the streams that their reader may view, and what changed in them since they were read. */
export class StreamLists {
  readonly #options: StreamListsOptions;
  /**
   * Revisions of one run must not be confused with those of another: they start above any that an earlier run
   * can have reached.
   */
  readonly #firstRevision: number;

  constructor(options: StreamListsOptions) {
    this.#options = options;
    this.#firstRevision = options.clock.wallMs();
  }

  /** One page, with the groups of the whole list. */
  async page(principal: Principal, query: ListQuery, language: MessageLanguage) {
    const { store, statuses, sortFigures } = this.#options;
    const onlyAvailable = query.onlyAvailable || query.isOnlyAvailable;
    const sort = query.sortType.replace('-', '') as StreamQuery['sort'];
    // The list is sorted and filtered by the statuses in the database.
    if (onlyAvailable || sort === 'status') await statuses.settle();
    const figures = isFigureSort(sort) ? await sortFigures.of(sort) : undefined;
    const page = await store.streamList.page(viewerOf(principal), {
      page: query.page,
      pageSize: query.pageSize,
      sort,
      ...(figures && { figures }),
      descending: query.sortType.startsWith('-'),
      byTag: query.groupType === 'tag',
      onlyAvailable,
      onlyPublic: query.onlyPublic,
      words: query.searchingValues,
    });
    return {
      items: page.items.map((item) => ({ ...viewOf(this.#options, item, language), group: item.group })),
      total: page.total,
      page: query.page,
      pageSize: query.pageSize,
      groups: page.groups,
    };
  }

  /** States that changed since a revision; of all streams when the revision is unknown. */
  async statuses(principal: Principal, query: StatusQuery, language: MessageLanguage) {
    const { store, streamManager, membership, streamService } = this.#options;
    const revision = this.#firstRevision + streamManager.changes.revision;
    if (query.since === revision) return { items: [], revision, listChanged: false };
    const since = query.since - this.#firstRevision;
    const changed = since < 0 ? undefined : streamManager.changes.since(since);
    const viewable = await store.streamList.viewableUids(viewerOf(principal));
    const items: StreamState[] = [];
    for (const { settings, state } of changed ? this.#runningOf(changed) : streamManager.streams()) {
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
  }

  /** The tags of the streams that the caller may view. */
  async tags(principal: Principal) {
    return { items: await this.#options.store.streamList.tags(viewerOf(principal)) };
  }

  *#runningOf(uids: Iterable<string>) {
    for (const uid of uids) {
      const stream = this.#options.streamManager.find(uid);
      if (stream) yield stream;
    }
  }
}
