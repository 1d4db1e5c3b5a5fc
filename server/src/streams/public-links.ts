import type { Principal } from '../access/principal.ts';
import { newSecret } from '../access/secrets.ts';
import { Fault } from '../base/fault.ts';
import type { Store } from '../store/store.ts';
import type { StreamRecord } from '../store/stream-row.ts';
import { changesBetween } from '../system/audit-changes.ts';
import type { AuditNote } from '../system/audit-event.ts';
import type { AuditLog } from '../system/audit-log.ts';
import type { SharedViewers } from './shared-viewers.ts';
import type { StreamService } from './stream-service.ts';

/** The link of a stream: its key opens the stream to anyone. */
export interface PublicLink {
  readonly key: string;
  readonly isEmbeddable: boolean;
}

/** The user who creates a link. */
export interface LinkCreation {
  readonly by: Principal;
  readonly ip: string;
  /** Called before a link is created, but not when one exists. Throws to refuse. */
  readonly confirm: () => void;
}

export interface PublicLinksOptions {
  readonly store: Pick<Store, 'streams'>;
  readonly audit: Pick<AuditLog, 'add'>;
  readonly streamService: Pick<StreamService, 'noteRights'>;
  readonly sharedViewers: Pick<SharedViewers, 'review'>;
}

/** The public links of streams [R7.9, R10.5]: created, changed and revoked by users who may share. */
export class PublicLinks {
  readonly #options: PublicLinksOptions;

  constructor(options: PublicLinksOptions) {
    this.#options = options;
  }

  /**
   * The stream's link; if there is none, one is created on request.
   * @throws Fault NotFound, or what `confirm` throws
   */
  async get(stream: StreamRecord, creation: LinkCreation | undefined): Promise<PublicLink> {
    const isEmbeddable = stream.shareEmbeds;
    if (stream.shareKey !== null) return { key: stream.shareKey, isEmbeddable };
    if (!creation) throw new Fault('NotFound', 'The stream has no public link.');
    creation.confirm();
    const { store, audit, streamService } = this.#options;
    const key = await store.streams.makeShareKey(stream.id, newSecret());
    // It is a read call, which the registrar does not record.
    audit.add({
      login: creation.by.user.login,
      ip: creation.ip,
      action: 'getStreamShare',
      target: stream.uid,
      outcome: 'ok',
      details: { changes: { isPublic: [false, true] } },
    });
    streamService.noteRights([stream.uid]);
    return { key, isEmbeddable };
  }

  /** Whether other sites may show the page of the link. @throws Fault NotFound */
  async setEmbeddable(stream: StreamRecord, isEmbeddable: boolean, note: AuditNote): Promise<PublicLink> {
    const { id, shareKey: key, shareEmbeds } = stream;
    if (key === null) throw new Fault('NotFound', 'The stream has no public link.');
    await this.#options.store.streams.setShareEmbeds(id, isEmbeddable);
    note.details = { changes: changesBetween({ isEmbeddable: shareEmbeds }, { isEmbeddable }) };
    return { key, isEmbeddable };
  }

  /** Removes the link and disconnects its viewers. Idempotent. */
  async revoke({ id, uid, shareKey: key }: StreamRecord, note: AuditNote): Promise<void> {
    const { store, sharedViewers, streamService } = this.#options;
    await store.streams.removeShareKey(id);
    note.details = { changes: changesBetween({ isPublic: key !== null }, { isPublic: false }) };
    sharedViewers.review(uid);
    streamService.noteRights([uid]);
  }
}
