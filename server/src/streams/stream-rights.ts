import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import type { Authenticator } from '../access/authenticator.ts';
import type { Principal } from '../access/principal.ts';
import { requireUser } from '../access/user-policy.ts';
import { fieldFault } from '../base/field-fault.ts';
import { keyOf, sortKeyOf } from '../base/search-key.ts';
import type { Grant, StreamRights } from '../store/permissions.ts';
import type { Store } from '../store/store.ts';
import type { StreamRecord } from '../store/stream-row.ts';
import type { SeenStream } from '../store/stream-list.ts';
import { byKey, changesBetween } from '../system/audit-changes.ts';
import type { AuditNote } from '../system/audit-event.ts';
import type { LiveSessions } from './live-sessions.ts';
import type { StreamService } from './stream-service.ts';

/** A user's rights on one stream. */
export interface RightsOfUser extends StreamRights {
  readonly user: string;
}

/** The rights of one user on a stream. */
export interface RightsOnStream extends StreamRights {
  readonly stream: string;
  readonly streamName: string;
}

type RightsOfStreamToSave = z.output<Calls['saveStreamPermissions']['body']>['items'];
type RightsOfUserToSave = z.output<Calls['saveUserPermissions']['body']>['items'];

export interface StreamRightsServiceOptions {
  readonly store: Pick<Store, 'permissions' | 'streams' | 'users'>;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly liveSessions: Pick<LiveSessions, 'reviewStream'>;
  readonly streamService: Pick<StreamService, 'noteRights'>;
}

/**
 * Rights on streams, by stream and by user. Callers who may not list the server's users learn nothing about
 * them here: a login that does not exist is saved and shown like any other.
 */
export class StreamRightsService {
  readonly #options: StreamRightsServiceOptions;

  constructor(options: StreamRightsServiceOptions) {
    this.#options = options;
  }

  /**
   * The list as the caller may see it: names that they entered are shown as entered, whether or not such users
   * exist.
   */
  async ofStream(principal: Principal, { id, createdBy }: StreamRecord): Promise<RightsOfUser[]> {
    const { permissions } = this.#options.store;
    const side = sideOf(principal, createdBy);
    const own = side === 'administrator' ? [] : await permissions.grantsOf(id, principal.user.id);
    if (side === 'editor') return own.map(({ loginKey, rights }) => ({ user: loginKey, ...rights }));
    const typed = new Map(own.map(({ userId, loginKey }) => [userId, loginKey]));
    const rows = (await permissions.ofStream(id)).map(({ user, userId, rights }) => ({
      user: typed.get(userId) ?? user,
      ...rights,
    }));
    const unknown = own.filter(({ userId }) => userId === null);
    for (const { loginKey, rights } of unknown) rows.push({ user: loginKey, ...rights });
    return unknown.length === 0
      ? rows
      : rows.toSorted((a, b) => compareKeys(orderOf(a.user), orderOf(b.user)));
  }

  /**
   * Replaces the part of the list that the caller manages: all of it, or for an editor the rights they granted.
   * Viewers who lose their right are disconnected.
   * @throws Fault NotFound at a login, for administrators; Forbidden at a right that an editor does not have
   */
  async saveOfStream(
    principal: Principal,
    { stream, rights: held }: SeenStream,
    wanted: RightsOfStreamToSave,
    note: AuditNote,
  ): Promise<RightsOfUser[]> {
    const { store, liveSessions, streamService } = this.#options;
    const { permissions } = store;
    const { id, uid } = stream;
    const side = sideOf(principal, stream.createdBy);
    const rows = await this.#grantsIn(principal, stream, held, wanted);
    const before = await this.ofStream(principal, stream);
    if (side === 'administrator') {
      await permissions.replaceOfStream(
        id,
        rows.map(({ userId, rights }) => ({ userId, rights })),
      );
    } else if (side === 'owner') await permissions.replaceOfStream(id, rows, principal.user.id);
    else await permissions.replaceGrants(id, principal.user.id, rows);
    liveSessions.reviewStream(uid);
    streamService.noteRights([uid]);
    const after = await this.ofStream(principal, stream);
    const rowsOf = (rights: RightsOfUser[]) => byKey(rights, ({ user }) => user);
    note.details = { changes: changesBetween(rowsOf(before), rowsOf(after)) };
    return after;
  }

  /** @throws Fault NotFound */
  async ofUser(login: string): Promise<RightsOnStream[]> {
    return this.#ofUserId((await requireUser(this.#options.store.users, login)).id);
  }

  /** Replaces all rights of a user. @throws Fault NotFound, at the stream too */
  async saveOfUser(login: string, wanted: RightsOfUserToSave, note: AuditNote): Promise<RightsOnStream[]> {
    const { store, authenticator, streamService } = this.#options;
    const user = await requireUser(store.users, login);
    const items = [...distinctBy(wanted, (row) => row.stream)];
    const ids = await store.streams.idsByUid(items.map(([, row]) => row.stream));
    const rows = [];
    for (const [index, { stream: uid, ...rights }] of items) {
      const streamId = ids.get(uid);
      if (streamId === undefined)
        throw fieldFault('NotFound', `items.${index}.stream`, 'There is no such stream.');
      if (hasAny(rights)) rows.push({ streamId, rights: withView(rights) });
    }
    const before = await this.#ofUserId(user.id);
    await store.permissions.replaceOfUser(user.id, rows);
    authenticator.forget(user.id);
    streamService.noteRights(new Set([...ids.keys(), ...before.map(({ stream }) => stream)]));
    const after = await this.#ofUserId(user.id);
    const rowsOf = (rights: RightsOnStream[]) => byKey(rights, ({ stream }) => stream);
    const changes = changesBetween(rowsOf(before), rowsOf(after));
    const changed = [...before, ...after].filter(({ stream }) => stream in changes);
    const names = Object.fromEntries(changed.map(({ stream, streamName }) => [stream, streamName]));
    note.details = { changes, names };
    return after;
  }

  /** The requested rights as the store keeps them, one entry per login. */
  async #grantsIn(
    principal: Principal,
    { id, createdBy }: StreamRecord,
    held: StreamRights,
    wanted: RightsOfStreamToSave,
  ): Promise<Grant[]> {
    const { permissions, users } = this.#options.store;
    const side = sideOf(principal, createdBy);
    const items = [...distinctBy(wanted, (row) => keyOf(row.user))];
    const ids = await users.idsByLoginKey(items.map(([, row]) => row.user));
    const grants = side === 'editor' ? await permissions.grantsOf(id, principal.user.id) : [];
    const given = new Map(grants.map(({ loginKey, rights }) => [loginKey, rights]));
    const rows = [];
    for (const [index, { user: login, ...rights }] of items) {
      const loginKey = keyOf(login);
      const userId = ids.get(loginKey) ?? null;
      if (side === 'administrator' && userId === null) {
        throw fieldFault('NotFound', `items.${index}.user`, 'There is no such user.');
      }
      if (!hasAny(rights)) continue;
      // The same for an unknown login.
      if (side === 'editor') requireHeld(held, given.get(loginKey), rights, `items.${index}`);
      rows.push({ userId, loginKey, rights: withView(rights) });
    }
    return rows;
  }

  async #ofUserId(userId: number): Promise<RightsOnStream[]> {
    const rows = await this.#options.store.permissions.ofUser(userId);
    return rows.map(({ stream, streamName, rights }) => ({ stream, streamName, ...rights }));
  }
}

/** Administrators and the stream's creator manage its whole list; other editors only what they granted. */
function sideOf(principal: Principal, createdBy: number | null): 'administrator' | 'owner' | 'editor' {
  if (principal.isAdmin) return 'administrator';
  return createdBy === principal.user.id ? 'owner' : 'editor';
}

/** Only holders of a right can grant it. Earlier grants are kept. @throws Fault Forbidden at the right */
function requireHeld(
  held: StreamRights,
  before: StreamRights | undefined,
  wanted: StreamRights,
  path: string,
): void {
  for (const right of ['archive', 'share', 'edit'] as const) {
    if (!wanted[right] || held[right] || before?.[right]) continue;
    throw fieldFault('Forbidden', `${path}.${right}`, `You don't have the right "${right}" yourself.`);
  }
}

function orderOf(user: string): string {
  return sortKeyOf(keyOf(user));
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function hasAny(rights: StreamRights): boolean {
  return rights.view || rights.archive || rights.share || rights.edit;
}

/** Any right includes viewing. */
function withView(rights: StreamRights): StreamRights {
  return { ...rights, view: true };
}

/** The last of the rows with the same key counts; each is returned with its index in the list. */
function distinctBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Iterable<[number, Row]> {
  return new Map(rows.map((row, index): [string, [number, Row]] => [keyOf(row), [index, row]])).values();
}
