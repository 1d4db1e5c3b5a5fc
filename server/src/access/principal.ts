import type { UserRecord } from '../store/users.ts';

/** Who is calling, and with which credential. */
export interface Principal {
  readonly user: UserRecord;
  readonly isAdmin: boolean;
  /** `maxStreamCreation` is 0 and the user is not an administrator. */
  readonly isReadOnly: boolean;
  readonly by:
    | {
        readonly kind: 'session';
        readonly id: string;
        /** When the password was last entered in the session, ms since the epoch. */
        readonly provedMs: number;
      }
    | { readonly kind: 'token'; readonly id: number };
}

export function principalOf(user: UserRecord, by: Principal['by']): Principal {
  const isAdmin = user.isAdmin;
  return { user, isAdmin, isReadOnly: !isAdmin && user.maxStreamCreation === 0, by };
}
