import type { User } from '@vidette/contract/entities';
import type { I18n } from '../../i18n/i18n.ts';

/** A user's role: administrator, user, or viewer only. */
export function roleText(user: User, i18n: I18n): string {
  if (user.isAdmin) return i18n.t('profile.role.admin');
  return i18n.t(user.maxStreamCreation === 0 ? 'profile.role.readOnly' : 'profile.role.user');
}

/** The number of streams that a user may add. */
export function quotaText(user: User, i18n: I18n): string {
  if (user.isAdmin || user.maxStreamCreation < 0) return i18n.t('profile.info.noLimit');
  return user.maxStreamCreation === 0 ? i18n.t('user.quota.none') : i18n.number(user.maxStreamCreation);
}
