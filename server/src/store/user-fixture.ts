import type { NewUser } from './users.ts';

/** A user for tests: without rights, e-mail and password. */
export function newUser(login: string, members: Partial<NewUser> = {}): NewUser {
  return {
    login,
    email: '',
    fullName: '',
    language: 'en',
    passwordHash: null,
    isAdmin: false,
    maxStreamCreation: 0,
    isManaged: false,
    mustChangePassword: false,
    isBlocked: false,
    createdMs: 1,
    lastSeenMs: null,
    ...members,
  };
}
