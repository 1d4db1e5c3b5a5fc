import type { Stream } from '@vidette/contract/entities';
import { messageOf, type MessageLanguage } from '@vidette/contract/errors';
import { shownSource } from '../dial/address.ts';
import type { ManagedStreamSettings } from '../engine/settings.ts';
import type { ManagedStreamState } from '../engine/state.ts';
import type { Membership } from '../cluster/membership.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { SeenStream } from '../store/stream-list.ts';
import type { StreamRecord } from '../store/stream-addresses.ts';
import { knownReason } from '../base/known-reasons.ts';

/** What the stream manager needs to run a stored stream. */
export function managedSettingsOf(record: StreamRecord): ManagedStreamSettings {
  return {
    uid: record.uid,
    source: record.source,
    subSource: record.sub_source,
    allowLoopback: record.allows_loopback === 1,
    isPaused: record.is_paused === 1,
    isOnDemand: record.is_on_demand === 1,
    isRecorded: record.is_recorded === 1,
    findsMotion: record.finds_motion === 1,
    depthHours: record.depth_hours,
    farAfterHours: record.far_after_hours,
  };
}

/**
 * The reason of a failure in the reader's language: it is stored in English. An unknown one becomes the code's
 * sentence.
 */
export function failureReasonOf(state: ManagedStreamState, language: MessageLanguage): string | null {
  if (state.failureReason === null || language === 'en' || state.code === null) return state.failureReason;
  return knownReason(state.failureReason, language) ?? messageOf(state.code, language);
}

/** What knows the current states of streams and nodes. */
export interface StreamStates {
  readonly streamManager: Pick<StreamManager, 'state'>;
  readonly membership: Pick<Membership, 'isAvailable'>;
}

/** A stream as one user may see it, with its current state. */
export function viewOf(
  { streamManager, membership }: StreamStates,
  seen: SeenStream,
  language: MessageLanguage,
): Stream {
  const { uid, node_id: nodeId } = seen.stream;
  return streamView(seen, streamManager.state(uid), membership.isAvailable(nodeId), language);
}

function streamView(
  seen: SeenStream,
  state: ManagedStreamState,
  isNodeAvailable: boolean,
  language: MessageLanguage,
): Stream {
  const { stream, rights } = seen;
  const shown = (source: string) => (rights.edit ? source : shownSource(source));
  return {
    uid: stream.uid,
    id: stream.id,
    name: stream.name,
    streamSource: shown(stream.source),
    subStreamSource: stream.sub_source === null ? null : shown(stream.sub_source),
    tags: [...stream.tags],
    status: state.status,
    failureReason: failureReasonOf(state, language),
    location: {
      name: stream.location_name,
      latitude: stream.latitude,
      longitude: stream.longitude,
      timeZone: stream.time_zone,
    },
    meta: { marker: stream.marker },
    live: { onDemand: stream.is_on_demand === 1 },
    archive: {
      isEnable: stream.is_recorded === 1,
      depthHours: stream.depth_hours,
      farAfterHours: stream.far_after_hours,
    },
    motion: { isEnable: stream.finds_motion === 1 },
    node: { id: stream.node_id, available: isNodeAvailable },
    createdBy: seen.createdBy,
    createdAt: stream.created_ms,
    revision: stream.revision,
    canEdit: rights.edit,
    canArchive: rights.archive,
    canShare: rights.share,
    isPublic: rights.share ? stream.share_key !== null : null,
  };
}
