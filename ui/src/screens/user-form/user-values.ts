import type { RequestOf } from '@vidette/contract/client';
import { loginPattern } from '@vidette/contract/constants';
import type { User } from '@vidette/contract/entities';
import type { CodeFields, FieldMessages } from '../../api/field-errors.ts';
import type { I18n } from '../../i18n/i18n.ts';

// What the form of a user holds, how it becomes a call, and how the call's answer finds its fields again.

/** How many streams somebody may add, as the form asks it: none, any number, or so many. */
export type QuotaKind = 'none' | 'unlimited' | 'count';

/** The form's values. */
export interface UserValues {
  readonly name: string;
  readonly fullName: string;
  readonly email: string;
  readonly language: string;
  readonly role: string;
  readonly quotaKind: string;
  readonly maxStreamCreation: string;
  readonly canConvert: boolean;
  readonly password: string;
  readonly mustChangePassword: boolean;
}

export const emptyUser: UserValues = {
  name: '',
  fullName: '',
  email: '',
  language: 'en',
  role: 'user',
  quotaKind: 'none',
  maxStreamCreation: '10',
  canConvert: true,
  password: '',
  mustChangePassword: true,
};

/** A saved user as the form shows it; the password is not known and stays empty. */
export function userValues(user: User): UserValues {
  const { maxStreamCreation: quota } = user;
  return {
    name: user.name,
    fullName: user.fullName,
    email: user.email,
    language: user.language,
    role: user.isAdmin ? 'admin' : 'user',
    quotaKind: quota === 0 ? 'none' : quota < 0 ? 'unlimited' : 'count',
    maxStreamCreation: quota > 0 ? String(quota) : emptyUser.maxStreamCreation,
    canConvert: user.canConvert,
    password: '',
    mustChangePassword: user.mustChangePassword,
  };
}

/** The form as the call that adds takes it. */
export function addBody(values: UserValues): RequestOf<'addUser'>['body'] {
  const { name, password, ...rest } = values;
  return { name: name.trim(), password, ...personOf(rest) };
}

/**
 * The form as the call that saves takes it: only what changed, since what is kept in another system may not be sent.
 * @param before what the form started from
 */
export function changesOf(values: UserValues, before: UserValues): RequestOf<'saveUser'>['body'] {
  const now = { name: values.name.trim(), ...personOf(values) };
  const then: Readonly<Record<string, unknown>> = { name: before.name, ...personOf(before) };
  const changed = Object.entries(now).filter(([key, value]) => value !== then[key]);
  return { ...Object.fromEntries(changed), ...(values.password === '' ? {} : { password: values.password }) };
}

function personOf(values: Omit<UserValues, 'name' | 'password'>) {
  return {
    fullName: values.fullName.trim(),
    email: values.email.trim(),
    language: values.language === 'ru' ? ('ru' as const) : ('en' as const),
    isAdmin: values.role === 'admin',
    maxStreamCreation: quotaOf(values),
    canConvert: values.canConvert,
    mustChangePassword: values.mustChangePassword,
  };
}

function quotaOf({ quotaKind, maxStreamCreation }: Pick<UserValues, 'quotaKind' | 'maxStreamCreation'>): number {
  if (quotaKind === 'none') return 0;
  return quotaKind === 'unlimited' ? -1 : Number(maxStreamCreation);
}

/** What can be said about a field before asking anybody. */
export function userProblems(i18n: I18n, isPasswordNeeded: boolean) {
  return {
    name: (name: string) => {
      if (name.trim() === '') return i18n.t('account.login.missing');
      return loginPattern.test(name.trim()) ? null : i18n.t('account.login.invalid');
    },
    password: (password: string) =>
      isPasswordNeeded && password === '' ? i18n.t('account.password.missing') : null,
    maxStreamCreation: (text: string, { quotaKind }: UserValues) =>
      quotaKind !== 'count' || /^[1-9]\d{0,5}$/.test(text.trim()) ? null : i18n.t('user.quota.invalid'),
  };
}

/** The field of each code that adding or saving may answer; a taken login or e-mail names its field itself. */
export const userCodeFields: CodeFields = { PasswordIsNotComplexEnough: 'password' };

/** Own words for what a schema refuses in general terms. */
export const userFieldText: FieldMessages = { maxStreamCreation: 'user.quota.invalid' };
