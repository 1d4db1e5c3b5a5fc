import type { Stream } from '@vidette/contract/entities';
import { messageOf, type MessageLanguage } from '@vidette/contract/errors';
import { shownSource } from '../dial/address.ts';
import type { ManagedStreamSettings } from '../engine/settings.ts';
import type { ManagedStreamState } from '../engine/state.ts';
import type { Membership } from '../cluster/membership.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { SeenStream } from '../store/stream-list.ts';
import type { Addresses, StreamRecord } from '../store/stream-row.ts';
import { knownReason } from '../base/known-reasons.ts';
import { settingsShown } from './stream-settings.ts';

/** The data that the stream manager needs to run a stored stream. */
export const managedSettingsOf = (record: StreamRecord): ManagedStreamSettings => new StoredSettings(record);

/** Its addresses are opened when they are needed. A class: with getters of its own each object takes 1 kB. */
class StoredSettings implements ManagedStreamSettings {
  readonly uid: string;
  readonly allowLoopback: boolean;
  readonly isPaused: boolean;
  readonly isOnDemand: boolean;
  readonly isRecorded: boolean;
  readonly findsMotion: boolean;
  readonly depthHours: number;
  readonly farAfterHours: number;
  readonly #addresses: Addresses;

  constructor({ uid, addresses, allowsLoopback, isPaused, live, archive, motion }: StreamRecord) {
    this.uid = uid;
    this.allowLoopback = allowsLoopback;
    this.isPaused = isPaused;
    this.isOnDemand = live.onDemand;
    this.isRecorded = archive.isEnable;
    this.findsMotion = motion.isEnable;
    this.depthHours = archive.depthHours;
    this.farAfterHours = archive.farAfterHours;
    this.#addresses = addresses;
  }

  get source(): string {
    return this.#addresses.source;
  }

  get subSource(): string | null {
    return this.#addresses.subSource;
  }

  /** As it is sent to an engine. */
  toJSON(): ManagedStreamSettings {
    const { uid, source, subSource, allowLoopback, isPaused, isOnDemand } = this;
    const { isRecorded, findsMotion, depthHours, farAfterHours } = this;
    return {
      ...{ uid, source, subSource, allowLoopback, isPaused, isOnDemand },
      ...{ isRecorded, findsMotion, depthHours, farAfterHours },
    };
  }
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
