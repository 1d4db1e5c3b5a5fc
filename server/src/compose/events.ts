import { randomBytes } from 'node:crypto';
import type { ClusterNode } from '@vidette/contract/entities';
import { EventHub, type HubEvent } from '../events/event-hub.ts';
import { EventSources } from '../events/event-sources.ts';
import { EventStreams } from '../events/event-streams.ts';
import type { EventViewer, RenderedEvent } from '../events/event-subscription.ts';
import { newsView } from '../events/journal-service.ts';
import { SharedRenders } from '../events/shared-renders.ts';
import { viewerOf } from '../access/stream-policy.ts';
import type { Closer } from '../base/opened.ts';
import { failureReasonOf } from '../streams/stream-view.ts';
import type { StreamService } from '../streams/stream-service.ts';
import type { Access } from './access.ts';
import type { ClusterArea } from './cluster.ts';
import type { Foundation } from './foundation.ts';
import type { Media } from './media.ts';
import type { Storage } from './storage.ts';

/** Exports of one user, and mosaics, that are compared. */
const pageSize = 500;

/** The areas whose changes are reported. */
interface EventParts {
  readonly foundation: Foundation;
  readonly storage: Storage;
  readonly cluster: ClusterArea;
  readonly media: Media;
  readonly access: Access;
}

/** The event stream; closed before the areas whose changes it reports. */
export function openEvents(areas: EventParts, streamService: StreamService, closers: Closer[]): EventStreams {
  const { foundation, storage, cluster, media, access } = areas;
  const { clock, log } = foundation;
  const { store } = storage;
  const hub = new EventHub(randomBytes(6).toString('base64url'));
  const tools = { hub, clock, log };
  const shared = new SharedRenders((viewer, { event }) => rendered(areas, viewer, event));
  const eventStreams = new EventStreams({
    ...tools,
    store,
    authenticator: access.authenticator,
    prepare: (userId) => sources.prepare(userId),
    render: (viewer, event) => shared.render(viewer, event),
  });
  closers.push(() => eventStreams.close());
  media.systemWatch.onChanged(() => hub.publish({ type: 'health' }));
  const marks = {
    exports: async (userId: number) => {
      const { items } = await store.exports.list(userId, { page: 1, pageSize });
      if (items.some(({ status }) => status === 'queued' || status === 'running')) return 'busy';
      return JSON.stringify(items.map(({ id, status, failure }) => [id, status, failure]));
    },
    mosaics: async (userId: number) => {
      const user = await store.users.byId(userId);
      const viewer = { userId, isAdmin: user?.isAdmin === true };
      const { items, total } = await store.mosaics.list(viewer, { page: 1, pageSize, words: [] });
      return JSON.stringify([total, items]);
    },
  };
  const sources: EventSources = new EventSources({
    ...tools,
    marks,
    journalFeed: media.journalFeed,
    changes: media.streamManager.changes,
    listRevision: () => streamService.listRevision,
    userIds: () => eventStreams.userIds,
    nodes: async () => JSON.stringify((await cluster.membership.list()).map(markOfNode)),
    writes: store.watchWrites(),
  });
  closers.push(() => sources.close());
  return eventStreams;
}

/** How many of its streams run changes with every state of one, and counts only until a drained node is empty. */
function markOfNode(node: ClusterNode): object {
  return { ...node, lastSeenTime: null, activeStreams: node.isDrained ? node.activeStreams : null };
}

/** What one client is told of an event, through the policy of the call that would return it. */
async function rendered(
  { storage, cluster, media }: EventParts,
  { principal, language, uids }: EventViewer,
  event: HubEvent,
): Promise<RenderedEvent | undefined> {
  switch (event.type) {
    case 'statuses': {
      const items = event.uids.flatMap((uid) => {
        const stream = uids === undefined || uids.has(uid) ? media.streamManager.find(uid) : undefined;
        if (!stream) return [];
        const { state } = stream;
        const failureReason = failureReasonOf(state, language);
        const nodeAvailable = cluster.membership.hasNode(uid);
        return [
          {
            ...{ uid, status: state.status },
            ...(failureReason !== null && { failureReason }),
            ...(!nodeAvailable && { nodeAvailable }),
          },
        ];
      });
      return items.length > 0 ? { name: 'statuses', data: { items } } : undefined;
    }
    case 'journal': {
      const entries = await storage.store.journal.seen(viewerOf(principal), event.ids);
      if (entries.length === 0) return undefined;
      return { name: 'journal', data: { items: entries.map(newsView).sort((a, b) => a.id - b.id) } };
    }
    case 'exports':
    case 'mosaics':
    case 'account':
      return event.userId === principal.user.id ? { name: event.type, data: {} } : undefined;
    case 'nodes':
      return principal.isAdmin ? { name: 'nodes', data: {} } : undefined;
    case 'streams':
    case 'health':
      return { name: event.type, data: {} };
  }
}
