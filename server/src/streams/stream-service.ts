import type { z } from 'zod';
import type { StreamToAdd, StreamToSave } from '@vidette/contract/calls/streams';
import { newUid } from '../access/secrets.ts';
import type { Principal } from '../access/principal.ts';
import { mayUseLoopback, requireStreamCreation } from '../access/stream-policy.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { ClusterChange } from '../cluster/cluster-change.ts';
import type { Membership } from '../cluster/membership.ts';
import type { Config } from '../config/schema.ts';
import { addressWithCredentials, parseSourceAddress } from '../dial/address.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Store } from '../store/store.ts';
import type { StreamRecord } from '../store/stream-row.ts';
import type { LicenseService } from '../system/license.ts';
import type { StatusWriter } from '../system/status-writer.ts';
import { fieldFault } from '../base/field-fault.ts';
import { requireKnownZone } from '../base/known-zone.ts';
import { keyOf } from '../base/search-key.ts';
import { merged } from './stream-settings.ts';
import { managedSettingsOf } from './stream-view.ts';
import type { LiveSessions } from './live-sessions.ts';

export interface StreamServiceOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly store: Store;
  readonly streamManager: StreamManager;
  readonly statuses: StatusWriter;
  readonly license: LicenseService;
  readonly liveSessions: LiveSessions;
  readonly membership: Membership;
}

/** Within this time the database reports this node's own change back to it. */
const echoMs = 3_000;

/** Adding, changing and removing streams: the store first, then the stream manager that runs them. */
export class StreamService {
  readonly #options: StreamServiceOptions;
  /** Changes are serialised, so that quotas hold, and the stream manager and the store agree on the order. */
  #turn: Promise<unknown> = Promise.resolve();
  #listRevision = 0;
  /** The revision of each stream as polling clients know it. */
  readonly #listed = new Map<string, number>();
  /** When this node changed rights on a stream, monotonic. */
  readonly #notedMs = new Map<string, number>();

  constructor(options: StreamServiceOptions) {
    this.#options = options;
  }

  /**
   * The stream manager's revision at which a stream was last added, removed or saved, or its audience changed.
   */
  get listRevision(): number {
    return this.#listRevision;
  }

  /** Rights on these streams have changed: open lists must be requested again. */
  noteRights(uids: Iterable<string>): void {
    for (const uid of uids) {
      this.#noteChange(uid);
      this.#notedMs.set(uid, this.#options.clock.monotonicMs());
    }
  }

  /** The same, reported by the database: a change that this node has just made does not change lists again. */
  hearRights(uids: Iterable<string>): void {
    const { clock, streamManager } = this.#options;
    const sinceMs = clock.monotonicMs() - echoMs;
    for (const [uid, notedMs] of this.#notedMs) if (notedMs < sinceMs) this.#notedMs.delete(uid);
    for (const uid of uids) if (!this.#notedMs.has(uid) && streamManager.find(uid)) this.#noteChange(uid);
  }

  /** @throws Fault of the license, the quota, or an invalid field */
  add(principal: Principal, body: z.output<typeof StreamToAdd>): Promise<StreamRecord> {
    const { store, streamManager, license, membership, clock } = this.#options;
    const source = checkedSource(body.streamSource, 'streamSource');
    const subSource = body.subStreamSource ? checkedSource(body.subStreamSource, 'subStreamSource') : null;
    const depthHours = this.#checkedDepth(body.archive?.depthHours);
    checkZone(body.location?.timeZone);
    const settings = merged(
      {
        location: { name: '' },
        live: { onDemand: false },
        archive: { isEnable: true, depthHours },
      },
      body,
    );
    return this.#inTurn(async () => {
      requireStreamCreation(principal, await store.streams.countCreatedBy(principal.user.id));
      const streams = await store.streams.count();
      license.requireStreamAllowance(streams);
      const nodeId = membership.choose(streams);
      const record = await store.streams.add({
        ...settings,
        uid: newUid(),
        name: body.name,
        source,
        subSource,
        tags: distinct(body.tags ?? []),
        isPaused: false,
        allowsLoopback: mayUseLoopback(principal),
        createdBy: principal.user.id,
        createdMs: clock.wallMs(),
        revision: 1,
        nodeId,
        status: 'pending',
        shareKey: null,
      });
      await membership.noteChange();
      streamManager.apply(managedSettingsOf(record));
      this.#noteSaved(record);
      return record;
    });
  }

  /** @throws Fault ActionNotAcceptable when another user saved in between, or of an invalid field */
  save(principal: Principal, old: StreamRecord, body: z.output<typeof StreamToSave>): Promise<StreamRecord> {
    const { store, streamManager, membership } = this.#options;
    const source =
      body.streamSource === undefined ? old.source : checkedSource(body.streamSource, 'streamSource');
    const subSource =
      body.subStreamSource === undefined
        ? old.subSource
        : body.subStreamSource && checkedSource(body.subStreamSource, 'subStreamSource');
    if (body.archive?.depthHours !== undefined) this.#checkedDepth(body.archive.depthHours);
    checkZone(body.location?.timeZone);
    const isNewSource = source !== old.source || (subSource !== null && subSource !== old.subSource);
    return this.#inTurn(async () => {
      const record = await store.streams.save(old.id, body.revision ?? old.revision, {
        ...merged(old, body),
        name: body.name ?? old.name,
        source,
        subSource,
        tags: distinct(body.tags ?? old.tags),
        allowsLoopback: isNewSource ? mayUseLoopback(principal) : old.allowsLoopback,
      });
      if (!record)
        throw new Fault('ActionNotAcceptable', 'Another user saved or deleted the stream in the meantime.');
      await membership.noteChange();
      streamManager.apply(managedSettingsOf(record));
      this.#noteSaved(record);
      return record;
    });
  }

  /** Switches recording, with all other settings as they are at that moment. @throws Fault NotFound */
  setRecorded(uid: string, isRecorded: boolean): Promise<'changed' | 'unchanged'> {
    const { store, streamManager, membership } = this.#options;
    return this.#inTurn(async () => {
      const old = await store.streams.byUid(uid);
      if (!old) throw new Fault('NotFound', 'The stream no longer exists.');
      if (old.archive.isEnable === isRecorded) return 'unchanged';
      const record = await store.streams.save(old.id, old.revision, {
        ...old,
        archive: { ...old.archive, isEnable: isRecorded },
      });
      if (!record)
        throw new Fault('ActionNotAcceptable', 'Another user saved or deleted the stream in the meantime.');
      await membership.noteChange();
      streamManager.apply(managedSettingsOf(record));
      this.#noteSaved(record);
      return 'changed';
    });
  }

  /** Pauses or resumes; idempotent. */
  setPaused(old: StreamRecord, isPaused: boolean): Promise<void> {
    const { store, streamManager } = this.#options;
    return this.#inTurn(async () => {
      await store.streams.setPaused(old.id, isPaused);
      const record = await store.streams.byUid(old.uid);
      if (!record) throw new Fault('NotFound', 'The stream no longer exists.');
      streamManager.apply(managedSettingsOf(record));
    });
  }

  /** Removes a stream and disconnects its viewers; with `purge` its archive is deleted too. */
  remove(record: StreamRecord, options: { purge: boolean }): Promise<void> {
    const { store, streamManager, liveSessions, membership } = this.#options;
    return this.#inTurn(async () => {
      await store.streams.remove(record.id, options);
      this.#noteRemoved(record.uid);
      liveSessions.reviewStream(record.uid);
      await streamManager.remove(record.uid, options);
      if (options.purge) await store.streams.notePurged(membership.id, record.uid);
      await membership.noteChange();
    });
  }

  /** Applies the changes made by other nodes. Idempotent; rejects when the database can't be read. */
  learn({ saved, removed, moved }: ClusterChange): Promise<void> {
    const { store, streamManager, statuses, liveSessions, membership } = this.#options;
    return this.#inTurn(async () => {
      for (const record of await store.streams.byUids(saved)) {
        streamManager.apply(managedSettingsOf(record));
        // This node's own saves are reported back to it, and so is a pause, which changes no list.
        if (this.#listed.get(record.uid) !== record.revision) this.#noteSaved(record);
      }
      for (const uid of removed) {
        this.#noteRemoved(uid);
        liveSessions.reviewStream(uid);
        await streamManager.remove(uid, { purge: false });
      }
      for (const uid of moved) {
        const stream = streamManager.find(uid);
        stream?.review();
        streamManager.changes.add(uid);
        // States that this node reported before it knew of the stream were dropped.
        if (stream && membership.owns(uid)) statuses.note(uid, stream.state);
      }
      await this.#purge();
    });
  }

  /** Removes the footage of streams that were removed while this node could not. */
  async #purge(): Promise<void> {
    const { store, streamManager, membership } = this.#options;
    for (const uid of await store.streams.purges(membership.id)) {
      await streamManager.remove(uid, { purge: true });
      await store.streams.notePurged(membership.id, uid);
    }
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(run);
    // The next change in the queue does not depend on the result of this one; the caller of this one gets the
    // error.
    this.#turn = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  #noteSaved({ uid, revision }: StreamRecord): void {
    this.#listed.set(uid, revision);
    this.#noteChange(uid);
  }

  #noteRemoved(uid: string): void {
    this.#listed.delete(uid);
    this.#noteChange(uid);
  }

  #noteChange(uid: string): void {
    const { changes } = this.#options.streamManager;
    changes.add(uid);
    this.#listRevision = changes.revision;
  }

  /** @throws Fault ARCHIVE_DEPTH_ERR */
  #checkedDepth(asked: number | undefined): number {
    const most = this.#options.config.archive.maxDepthHours;
    if (asked === undefined) return most;
    if (most !== -1 && (asked === -1 || asked > most)) {
      throw fieldFault('ARCHIVE_DEPTH_ERR', 'archive.depthHours', `At most ${most} hours may be kept.`);
    }
    return asked;
  }
}

/** The address in its normal form. @throws Fault STREAM_SOURCE_ERR at the given field */
function checkedSource(typed: string, path: string): string {
  try {
    return addressWithCredentials(parseSourceAddress(typed));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.code, error.message, {
      cause: error,
      details: { fields: [{ path, code: error.code, error: error.message }] },
    });
  }
}

/** Tags that differ only in case are the same; the first is kept. */
function distinct(tags: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const tag of tags) {
    const key = keyOf(tag);
    if (!seen.has(key)) seen.set(key, tag);
  }
  return [...seen.values()];
}

/** @throws Fault ValidationError for a time zone name that this machine does not know */
function checkZone(timeZone: string | null | undefined): void {
  if (typeof timeZone === 'string') requireKnownZone(timeZone, 'location.timeZone');
}
