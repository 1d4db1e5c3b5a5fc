import { Preferences, type Profile, type Session, type Token, type User } from '@vidette/contract/entities';
import { changesBetween } from '../system/audit-changes.ts';
import type { SessionRecord } from '../store/sessions.ts';
import type { TokenRecord } from '../store/tokens.ts';
import type { UserRecord } from '../store/users.ts';

/** A user as clients see them; nothing of the password. */
export function userView(user: UserRecord): User {
  const isAdmin = user.is_admin === 1;
  return {
    name: user.login,
    email: user.email,
    fullName: user.full_name,
    language: user.language,
    isAdmin,
    permissionType: isAdmin ? 'admin' : 'user',
    maxStreamCreation: user.max_stream_creation,
    canConvert: user.can_convert === 1,
    isManaged: user.is_managed === 1,
    mustChangePassword: user.must_change_password === 1,
    isBlocked: user.is_blocked === 1,
    createdAt: user.created_ms,
    lastSeenTime: user.last_seen_ms,
  };
}

/** The signed-in user as they see themselves. */
export function profileView(user: UserRecord): Profile {
  return { ...userView(user), preferences: preferencesOf(user) };
}

/** The user's choices, with defaults for the rest. */
export function preferencesOf(user: UserRecord): Preferences {
  return Preferences.parse(JSON.parse(user.preferences));
}

/** What was changed about a user, for the audit log; of a password only that it was. */
export function changesOfUser(before: UserRecord, after: UserRecord): object {
  const settings = (user: UserRecord) => {
    const { lastSeenTime: _, ...view } = profileView(user);
    return view;
  };
  const changes = changesBetween(settings(before), settings(after));
  if (before.password_hash !== after.password_hash) changes['password'] = ['***', '***'];
  return changes;
}

export function sessionView(session: SessionRecord, currentId: string | undefined): Session {
  return {
    id: session.id,
    lastSeenTime: session.last_seen_ms,
    isCurrent: session.id === currentId,
    createdAt: session.created_ms,
    ip: session.ip,
    userAgent: session.user_agent,
  };
}

export function tokenView(token: TokenRecord): Token {
  return {
    id: token.id,
    name: token.name,
    expireTime: token.expires_ms,
    createdAt: token.created_ms,
    lastUsedTime: token.last_used_ms,
  };
}
