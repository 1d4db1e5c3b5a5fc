import { z } from 'zod';
import type { Call } from '../call.ts';
import { limits } from '../constants.ts';
import {
  Email,
  Language,
  Login,
  Name,
  PasswordText,
  Session,
  Uid,
  User,
  UserPermission,
} from '../entities.ts';
import { Done, pageOf, pageQuery } from '../page.ts';
import { like } from '../example.ts';

const login = z.strictObject({ login: Login });
const adminErrors = ['AuthorizationRequired', 'Forbidden'] as const;
const userErrors = [...adminErrors, 'NotFound'] as const;
const streamCreation = z.int().min(-1).max(1_000_000).meta(like(10));

const person = {
  email: Email.or(z.literal('')).optional(),
  fullName: Name.or(z.literal('')).optional().meta(like('Maria Petrova')),
  language: Language.optional(),
  permissionType: z.enum(['admin', 'user']).optional().meta(like('user')),
  isAdmin: z.boolean().optional(),
  maxStreamCreation: streamCreation.optional(),
  canConvert: z.boolean().optional(),
  mustChangePassword: z.boolean().optional(),
};

export const userCalls = {
  listUsers: {
    summary: 'Users, page by page',
    who: 'admin',
    query: z.strictObject({
      ...pageQuery,
      sortType: z
        .enum(['name', '-name', 'createdAt', '-createdAt', 'lastSeenTime', '-lastSeenTime'])
        .default('name'),
      searchingValues: z.array(z.string().max(limits.nameMaxLength)).max(limits.searchValuesMax).default([]),
    }),
    reply: pageOf(User),
    errors: adminErrors,
  },
  addUser: {
    summary: 'Adds a user; requires a recently entered password; an API token cannot add an administrator',
    who: 'admin',
    proof: 'rights',
    body: z.strictObject({ name: Login, password: PasswordText, ...person }),
    reply: User,
    errors: [...adminErrors, 'PasswordRequired', 'AlreadyUsed', 'PasswordIsNotComplexEnough'],
  },
  getUser: { summary: 'One user', who: 'admin', params: login, reply: User, errors: userErrors },
  saveUser: {
    summary:
      'Changes a user; changing the login, e-mail, password, role or rights requires a recently entered password',
    who: 'admin',
    params: login,
    body: z.strictObject({
      name: Login.optional(),
      password: PasswordText.optional(),
      keepTokens: z
        .boolean()
        .optional()
        .describe('A new password revokes the API tokens too, unless this is true'),
      ...person,
      ...User.pick({ isManaged: true, isBlocked: true, createdAt: true, lastSeenTime: true }).partial().shape,
    }),
    reply: User,
    errors: [
      ...userErrors,
      'PasswordRequired',
      'AlreadyUsed',
      'PasswordIsNotComplexEnough',
      'ActionNotAcceptable',
    ],
  },
  deleteUser: {
    summary: 'Deletes a user; their streams are kept; requires a recently entered password',
    who: 'admin',
    proof: 'rights',
    params: login,
    reply: Done,
    errors: [...userErrors, 'PasswordRequired', 'ActionNotAcceptable'],
  },
  blockUser: {
    summary: 'Blocks a user: sessions, tokens and live viewing end immediately',
    who: 'admin',
    params: login,
    reply: User,
    errors: [...userErrors, 'ActionNotAcceptable'],
  },
  unblockUser: {
    summary: 'Unblocks a user; requires a recently entered password',
    who: 'admin',
    proof: 'rights',
    params: login,
    reply: User,
    errors: [...userErrors, 'PasswordRequired'],
  },
  getUserPermissions: {
    summary: 'What a user may do with which streams',
    who: 'admin',
    params: login,
    reply: pageOf(UserPermission),
    errors: userErrors,
  },
  saveUserPermissions: {
    summary:
      'Replaces the list of what a user may do; any right includes viewing; requires a recently entered password',
    who: 'admin',
    proof: 'rights',
    params: login,
    takesLongLists: true,
    body: z.strictObject({
      items: z
        .array(
          z.strictObject({
            stream: Uid,
            view: z.boolean().default(false),
            archive: z.boolean().default(false),
            share: z.boolean().default(false),
            edit: z.boolean().default(false),
          }),
        )
        .max(limits.permissionRowsMax),
    }),
    reply: pageOf(UserPermission),
    errors: [...userErrors, 'PasswordRequired'],
  },
  listUserSessions: {
    summary: 'Sessions of a user, most recently seen first',
    who: 'admin',
    params: login,
    reply: pageOf(Session),
    errors: userErrors,
  },
  deleteUserSession: {
    summary: 'Ends one session of a user',
    who: 'admin',
    params: login.extend({ id: z.string().regex(/^[A-Za-z0-9]{1,64}$/) }),
    reply: Done,
    errors: userErrors,
  },
} as const satisfies Record<string, Call>;
