import type { RequestOf } from '@vidette/contract/client';
import { loginPattern } from '@vidette/contract/constants';
import type { User } from '@vidette/contract/entities';
import type { CodeFields, FieldMessages } from '../../../api/field-errors.ts';
import type { I18n } from '../../../i18n/i18n.ts';

// The values of a user's form, their conversion into a call, and the mapping of the call's errors to fields.

/** The stream quota in the form: none, unlimited, or a number. */
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

/** The role as it is chosen and shown: a user without a quota is a read-only user. */
export type FormRole = 'readOnly' | 'user' | 'admin';

export function formRole({ role, quotaKind }: Pick<UserValues, 'role' | 'quotaKind'>): FormRole {
  if (role === 'admin') return 'admin';
  return quotaKind === 'none' ? 'readOnly' : 'user';
}

/** The values with another role. An administrator's quota stays, for the time after. */
export function withRole(values: UserValues, role: string): Pick<UserValues, 'role' | 'quotaKind'> {
  const { quotaKind } = values;
  if (role === 'admin') return { role, quotaKind };
  if (role === 'readOnly') return { role: 'user', quotaKind: 'none' };
  return { role: 'user', quotaKind: quotaKind === 'none' ? 'count' : quotaKind };
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

/** A saved user as form values; the password is unknown and stays empty. */
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

/** The form values as the add call takes them. */
export function addBody(values: UserValues): RequestOf<'addUser'>['body'] {
  const { name, password, ...rest } = values;
  return { name: name.trim(), password, ...personOf(rest) };
}

/**
 * The form values as the save call takes them: only the changes, because values managed by another system must
 * not be sent.
 * @param before the initial values of the form
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

function quotaOf({
  quotaKind,
  maxStreamCreation,
}: Pick<UserValues, 'quotaKind' | 'maxStreamCreation'>): number {
  if (quotaKind === 'none') return 0;
  return quotaKind === 'unlimited' ? -1 : Number(maxStreamCreation);
}

/** Client-side check of a field. */
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

/** The field of each error code of adding or saving; a taken login or e-mail names its field itself. */
export const userCodeFields: CodeFields = { PasswordIsNotComplexEnough: 'password' };

/** The page's own text for errors that a schema reports in general terms. */
export const userFieldText: FieldMessages = { maxStreamCreation: 'user.quota.invalid' };
