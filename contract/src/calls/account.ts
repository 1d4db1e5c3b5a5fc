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

/** Members that are present change, the others keep their values. */
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
    summary: 'Signs in; the session comes as a cookie',
    who: 'anyone',
    body: z.strictObject({
      name: z.string().min(1).max(limits.emailMaxLength).meta(like('maria')),
      password: PasswordText,
    }),
    reply: SignedIn,
    errors: ['AuthorizationFailed'],
  },
  signOut: {
    summary: 'Ends this session',
    who: 'anyone',
    reply: Done,
    errors: [],
  },
  sendPasswordReset: {
    summary: 'Sends a code by e-mail; Retry-After says when another may be asked for',
    who: 'anyone',
    body: z.strictObject({ email: Email }),
    reply: Done,
    errors: ['NotFound', 'ActionNotAcceptable'],
  },
  resetPassword: {
    summary: 'Sets a password by the code that was sent',
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
    summary: 'Enters the password again, for calls that answer PasswordRequired',
    who: 'user',
    proof: 'session',
    body: z.strictObject({ password: PasswordText }),
    reply: Done,
    errors: ['AuthorizationRequired', 'Forbidden', 'InvalidOldPassword'],
  },
  saveProfile: {
    summary:
      'Changes the signed-in user; a new password takes the old one, a login or e-mail a password entered lately, or here',
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
        .describe('A new password ends the API tokens too, unless this is true'),
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
    summary: 'Makes an API token; its secret is in this answer and never again',
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
    summary: 'Ends an API token of the caller; a token can end itself only',
    who: 'user',
    params: z.strictObject({ id: Id }),
    reply: Done,
    errors: ['AuthorizationRequired', 'Forbidden', 'NotFound'],
  },
  listSessions: {
    summary: 'Sessions of the caller, the last seen first',
    who: 'user',
    reply: pageOf(Session),
    errors: ['AuthorizationRequired'],
  },
  terminateSessions: {
    summary:
      'Ends all other sessions of the caller and the API tokens; this session continues with a new secret',
    who: 'user',
    proof: 'session',
    body: z
      .strictObject({
        keepTokens: z.boolean().optional().describe('API tokens stay'),
        includeCurrent: z.boolean().optional().describe('This session ends too'),
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
