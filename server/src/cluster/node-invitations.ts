import { Fault } from '../base/fault.ts';
import type { Config } from '../config/schema.ts';
import type { Store } from '../store/store.ts';
import type { AuditNote } from '../system/audit-event.ts';
import type { Membership } from './membership.ts';

/** A pending invitation, without its code. */
interface OpenInvitation {
  readonly id: string;
  readonly createdMs: number;
  /** The login of the user who created it; null: created on the command line. */
  readonly by: string | null;
  readonly untilMs: number;
}

/** The storage of the codes: `Invitations` of the RPC between nodes. */
interface InvitationCodes {
  open(): Promise<readonly OpenInvitation[]>;
  make(login: string): Promise<OpenInvitation & { readonly code: string }>;
  /** Returns whether it was pending. */
  withdraw(id: string): Promise<boolean>;
}

export interface NodeInvitationsOptions {
  readonly config: Pick<Config, 'database'>;
  readonly store: Pick<Store, 'nodes'>;
  readonly membership: Pick<Membership, 'id'>;
  readonly invitations: InvitationCodes;
}

/** The codes by which servers join: created here or by `vidette invite`, used by `vidette join`. */
export class NodeInvitations {
  readonly #options: NodeInvitationsOptions;

  constructor(options: NodeInvitationsOptions) {
    this.#options = options;
  }

  /**
   * The pending invitations, and the address that joining servers need; null: this server has no shared
   * database.
   */
  async list() {
    const open = await this.#options.invitations.open();
    return { items: open.map(invitationView), address: await this.#address() };
  }

  /** @throws Fault ActionNotAcceptable without a shared database */
  async add(login: string, note: AuditNote) {
    const address = await this.#address();
    if (address === null) {
      throw new Fault(
        'ActionNotAcceptable',
        'Nodes share a PostgreSQL database: configure one as `database` first.',
      );
    }
    const { code, ...made } = await this.#options.invitations.make(login);
    note.target = made.id;
    return { ...invitationView(made), code, address };
  }

  /** @throws Fault NotFound */
  async remove(id: string): Promise<void> {
    if (!(await this.#options.invitations.withdraw(id))) {
      throw new Fault('NotFound', 'The invitation was used, has expired, or was revoked.');
    }
  }

  async #address(): Promise<string | null> {
    const { config, store, membership } = this.#options;
    return config.database === null ? null : ((await store.nodes.byId(membership.id))?.address ?? null);
  }
}

function invitationView({ id, createdMs, by, untilMs }: OpenInvitation) {
  return { id, createdTime: createdMs, createdBy: by, expiresTime: untilMs };
}
