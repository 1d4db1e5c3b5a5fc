import type { Stream } from '@vidette/contract/entities';
import { messageOf, type MessageLanguage } from '@vidette/contract/errors';
import { shownSource } from '../dial/address.ts';
import type { ManagedStreamSettings } from '../engine/settings.ts';
import type { ManagedStreamState } from '../engine/state.ts';
import type { Membership } from '../cluster/membership.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { SeenStream } from '../store/stream-list.ts';
import type { StreamRecord } from '../store/stream-row.ts';
import { knownReason } from '../base/known-reasons.ts';
import { settingsShown } from './stream-settings.ts';

/** The data that the stream manager needs to run a stored stream. */
export function managedSettingsOf(record: StreamRecord): ManagedStreamSettings {
  return {
    uid: record.uid,
    source: record.source,
    subSource: record.subSource,
    allowLoopback: record.allowsLoopback,
    isPaused: record.isPaused,
    isOnDemand: record.live.onDemand,
    isRecorded: record.archive.isEnable,
    findsMotion: record.motion.isEnable,
    depthHours: record.archive.depthHours,
    farAfterHours: record.archive.farAfterHours,
  };
}

/**
 * The reason for a failure in the reader's language; it is stored in English. An unknown one is replaced by the
 * code's sentence.
 */
export function failureReasonOf(state: ManagedStreamState, language: MessageLanguage): string | null {
  if (state.failureReason === null || language === 'en' || state.code === null) return state.failureReason;
  return knownReason(state.failureReason, language) ?? messageOf(state.code, language);
}

/** The sources of the current states of streams and nodes. */
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
  const { uid, nodeId } = seen.stream;
  return streamView(seen, streamManager.state(uid), membership.isAvailable(nodeId), language);
}

function streamView(
  seen: SeenStream,
  state: ManagedStreamState,
  isNodeAvailable: boolean,
  language: MessageLanguage,
): Stream {
  const { stream, rights } = seen;
  return {
    uid: stream.uid,
    id: stream.id,
    ...settingsShown(stream, (source) => (rights.edit ? source : shownSource(source))),
    status: state.status,
    failureReason: failureReasonOf(state, language),
    node: { id: stream.nodeId, available: isNodeAvailable },
    createdBy: seen.createdBy,
    createdAt: stream.createdMs,
    revision: stream.revision,
    canEdit: rights.edit,
    canArchive: rights.archive,
    canShare: rights.share,
    isPublic: rights.share ? stream.shareKey !== null : null,
  };
}
