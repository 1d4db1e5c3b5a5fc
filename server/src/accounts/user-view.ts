import { Preferences, type Profile, type Session, type Token, type User } from '@vidette/contract/entities';
import { changesBetween } from '../system/audit-changes.ts';
import type { SessionRecord } from '../store/sessions.ts';
import type { TokenRecord } from '../store/tokens.ts';
import type { UserRecord } from '../store/users.ts';

/** A user as clients see them, without the password. */
export function userView(user: UserRecord): User {
  const isAdmin = user.isAdmin;
  return {
    name: user.login,
    email: user.email,
    fullName: user.fullName,
    language: user.language,
    isAdmin,
    permissionType: isAdmin ? 'admin' : 'user',
    maxStreamCreation: user.maxStreamCreation,
    canConvert: user.canConvert,
    isManaged: user.isManaged,
    mustChangePassword: user.mustChangePassword,
    isBlocked: user.isBlocked,
    createdAt: user.createdMs,
    lastSeenTime: user.lastSeenMs,
  };
}

/** The signed-in user as they see themselves. */
export function profileView(user: UserRecord): Profile {
  return { ...userView(user), preferences: preferencesOf(user) };
}

/** The user's preferences, with defaults for the rest. */
export function preferencesOf(user: UserRecord): Preferences {
  return Preferences.parse(user.preferences);
}

/** What was changed about a user, for the audit log; for a password, only the fact. */
export function changesOfUser(before: UserRecord, after: UserRecord): object {
  const settings = (user: UserRecord) => {
    const { lastSeenTime: _, ...view } = profileView(user);
    return view;
  };
  const changes = changesBetween(settings(before), settings(after));
  if (before.passwordHash !== after.passwordHash) changes['password'] = ['***', '***'];
  return changes;
}

export function sessionView(session: SessionRecord, currentId: string | undefined): Session {
  return {
    id: session.id,
    lastSeenTime: session.lastSeenMs,
    isCurrent: session.id === currentId,
    createdAt: session.createdMs,
    ip: session.ip,
    userAgent: session.userAgent,
  };
}

export function tokenView(token: TokenRecord): Token {
  return {
    id: token.id,
    name: token.name,
    expireTime: token.expiresMs,
    createdAt: token.createdMs,
    lastUsedTime: token.lastUsedMs,
  };
}
