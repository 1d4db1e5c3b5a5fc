import type { z } from 'zod';
import type { StreamToAdd, StreamToSave } from '@vidette/contract/calls/streams';
import type { Stream, StreamStatus } from '@vidette/contract/entities';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { Principal } from '../access/principal.ts';
import { requireStream } from '../access/stream-policy.ts';
import type { Membership } from '../cluster/membership.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Store } from '../store/store.ts';
import type { SeenStream } from '../store/stream-list.ts';
import type { AuditNote } from '../system/audit-event.ts';
import { changesOfStream, requireFixedOfStream } from './stream-changes.ts';
import type { StreamService } from './stream-service.ts';
import { viewOf } from './stream-view.ts';

export interface StreamEditingOptions {
  readonly store: Pick<Store, 'streamList'>;
  readonly streamManager: Pick<StreamManager, 'find' | 'state'>;
  readonly membership: Pick<Membership, 'isAvailable'>;
  readonly streamService: Pick<StreamService, 'add' | 'save' | 'remove' | 'setPaused'>;
}

/**
 * A stream as one user sees and changes it, and what is recorded in the audit log. `StreamService` makes the
 * change itself.
 */
export class StreamEditing {
  readonly #options: StreamEditingOptions;

  constructor(options: StreamEditingOptions) {
    this.#options = options;
  }

  /** @param isWatched whether to start an on-demand stream */
  get(seen: SeenStream, isWatched: boolean, language: MessageLanguage): Stream {
    if (isWatched) this.#options.streamManager.find(seen.stream.uid)?.demand.extend();
    return viewOf(this.#options, seen, language);
  }

  /** Adds a stream and returns its uid. @throws Fault of the license, the quota, or an invalid field */
  async add(principal: Principal, body: z.output<typeof StreamToAdd>, note: AuditNote): Promise<string> {
    const { uid } = await this.#options.streamService.add(principal, body);
    note.target = uid;
    note.targetName = body.name;
    return uid;
  }

  /** @throws Fault ActionNotAcceptable when another user saved in between, or of an invalid field */
  async save(
    principal: Principal,
    seen: SeenStream,
    body: z.output<typeof StreamToSave>,
    language: MessageLanguage,
    note: AuditNote,
  ): Promise<Stream> {
    requireFixedOfStream(body, viewOf(this.#options, seen, language));
    const saved = await this.#options.streamService.save(principal, seen.stream, body);
    note.details = { changes: changesOfStream(seen.stream, saved) };
    return viewOf(this.#options, { ...seen, stream: saved }, language);
  }

  /** With `purge` its archive is deleted too. */
  async remove({ stream }: SeenStream, purge: boolean, note: AuditNote): Promise<void> {
    note.details = { name: stream.name, purge };
    await this.#options.streamService.remove(stream, { purge });
  }

  /** Returns the status afterwards. @throws Fault NotFound, Forbidden */
  async setPaused(principal: Principal, uid: string, isPaused: boolean): Promise<StreamStatus> {
    const { store, streamService, streamManager } = this.#options;
    const { stream } = await requireStream(store.streamList, principal, uid, 'edit');
    await streamService.setPaused(stream, isPaused);
    return streamManager.state(stream.uid).status;
  }
}
