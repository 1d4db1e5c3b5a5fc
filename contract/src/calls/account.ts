import { z } from 'zod';
import type { Call } from '../call.ts';
import { limits } from '../constants.ts';
import {
  Email,
  Id,
  Language,
  Login,
  Name,
  PasswordText,
  Preferences,
  Profile,
  Session,
  TimeMs,
  Token,
} from '../entities.ts';
import { Done, pageOf } from '../page.ts';
import { exampleMs, hourMs, like } from '../example.ts';

export const SignedIn = z.object({ user: Profile, mustChangePassword: z.boolean() });

const { theme, timeZone, playerSound, archiveSpeed } = Preferences.shape;

/** Members that are present are changed, the others keep their values. */
const PreferenceChanges = z.strictObject({
  theme: theme.unwrap().optional(),
  timeZone: timeZone.unwrap().optional(),
  playerSound: playerSound.unwrap().optional(),
  archiveSpeed: archiveSpeed.unwrap().optional(),
});

/** Members of `getProfile` that users can't change themselves: accepted when unchanged, refused otherwise. */
const fixedOfProfile = {
  isAdmin: true,
  permissionType: true,
  maxStreamCreation: true,
  canConvert: true,
  isManaged: true,
  mustChangePassword: true,
  isBlocked: true,
  createdAt: true,
  lastSeenTime: true,
} as const;

const passwordErrors = ['PasswordIsNotComplexEnough'] as const;

export const accountCalls = {
  signIn: {
    summary: 'Signs in; the session is returned as a cookie',
    who: 'anyone',
    body: z.strictObject({
      name: z.string().min(1).max(limits.emailMaxLength).meta(like('maria')),
      password: PasswordText,
    }),
    reply: SignedIn,
    errors: ['AuthorizationFailed'],
  },
  signOut: {
    summary: 'Signs out: ends this session',
    who: 'anyone',
    reply: Done,
    errors: [],
  },
  sendPasswordReset: {
    summary: 'Sends a code by e-mail; Retry-After states when another may be requested',
    who: 'anyone',
    body: z.strictObject({ email: Email }),
    reply: Done,
    errors: ['NotFound', 'ActionNotAcceptable'],
  },
  resetPassword: {
    summary: 'Sets a password with the code from the e-mail',
    who: 'anyone',
    body: z.strictObject({
      code: z.string().min(1).max(64).meta(like('7KQW-M3XP')),
      password: PasswordText,
      email: Email,
    }),
    reply: Done,
    errors: ['UnknownLifetimeCode', 'ActionNotAcceptable', ...passwordErrors],
  },
  getProfile: {
    summary: 'The signed-in user',
    who: 'user',
    whilePasswordDue: true,
    reply: Profile,
    errors: ['AuthorizationRequired'],
  },
  confirmPassword: {
    summary: 'Confirms the password, for calls that answer PasswordRequired',
    who: 'user',
    proof: 'session',
    body: z.strictObject({ password: PasswordText }),
    reply: Done,
    errors: ['AuthorizationRequired', 'Forbidden', 'InvalidOldPassword'],
  },
  saveProfile: {
    summary:
      'Changes the signed-in user; a new password requires the old one, a new login or e-mail a recently entered password, or one in this call',
    who: 'user',
    whilePasswordDue: true,
    body: z.strictObject({
      ...Profile.pick(fixedOfProfile).partial().shape,
      name: Login.optional(),
      email: Email.or(z.literal('')).optional(),
      fullName: Name.or(z.literal('')).optional().meta(like('Maria Petrova')),
      language: Language.optional(),
      password: PasswordText.optional(),
      oldPassword: PasswordText.optional().meta(like('an old long sentence of mine')),
      keepTokens: z
        .boolean()
        .optional()
        .describe('A new password revokes the API tokens too, unless this is true'),
      preferences: PreferenceChanges.optional(),
    }),
    reply: Profile,
    errors: [
      'AuthorizationRequired',
      'InvalidOldPassword',
      'PasswordRequired',
      'OldPasswordAndNewPasswordCannotBeSame',
      'AlreadyUsed',
      'ActionNotAcceptable',
      ...passwordErrors,
    ],
  },
  listTokens: {
    summary: 'API tokens of the caller',
    who: 'user',
    reply: pageOf(Token),
    errors: ['AuthorizationRequired'],
  },
  addToken: {
    summary: 'Creates an API token; its secret is only in this response',
    who: 'user',
    proof: 'password',
    body: z.strictObject({
      name: Name.meta(like('Gate')),
      expireTime: TimeMs.nullable()
        .default(null)
        .meta(like(exampleMs + 720 * hourMs)),
    }),
    reply: Token.extend({ secret: z.string().meta(like('q2w8xZk1nVt5bYc7mHs3dLf9gPj6rRu4aEoTiXyBzKw')) }),
    errors: ['AuthorizationRequired', 'Forbidden', 'PasswordRequired', 'QuotaReached'],
  },
  deleteToken: {
    summary: 'Revokes an API token of the caller; a token can revoke only itself',
    who: 'user',
    params: z.strictObject({ id: Id }),
    reply: Done,
    errors: ['AuthorizationRequired', 'Forbidden', 'NotFound'],
  },
  listSessions: {
    summary: 'Sessions of the caller, most recently seen first',
    who: 'user',
    reply: pageOf(Session),
    errors: ['AuthorizationRequired'],
  },
  terminateSessions: {
    summary:
      'Ends all other sessions of the caller and revokes the API tokens; this session continues with a new secret',
    who: 'user',
    proof: 'session',
    body: z
      .strictObject({
        keepTokens: z.boolean().optional().describe('Keeps the API tokens'),
        includeCurrent: z.boolean().optional().describe('Ends this session too'),
      })
      .optional(),
    reply: Done,
    errors: ['AuthorizationRequired', 'Forbidden'],
  },
  deleteSession: {
    summary: 'Ends one session of the caller',
    who: 'user',
    proof: 'session',
    params: z.strictObject({ id: z.string().regex(/^[A-Za-z0-9]{1,64}$/) }),
    reply: Done,
    errors: ['AuthorizationRequired', 'Forbidden', 'NotFound'],
  },
} as const satisfies Record<string, Call>;
