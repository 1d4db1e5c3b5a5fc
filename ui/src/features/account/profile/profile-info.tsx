import type { languages } from '@vidette/contract/constants';
import { useUser } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../../i18n/i18n.ts';
import { quotaText, roleText } from '../role-text.ts';

const languageNames: Record<(typeof languages)[number], MessageKey> = {
  en: 'language.en',
  ru: 'language.ru',
};

/** The server's data about the signed-in user. */
export function ProfileInfoScreen() {
  const i18n = useI18n();
  const user = useUser();
  if (!user) return null;
  return (
    <Facts>
      <Fact label={i18n.t('profile.info.login')}>{user.name}</Fact>
      <Fact label={i18n.t('account.fullName')}>{user.fullName || i18n.t('profile.none')}</Fact>
      <Fact label={i18n.t('account.email')}>{user.email || i18n.t('profile.none.email')}</Fact>
      <Fact label={i18n.t('account.language')}>{i18n.t(languageNames[user.language])}</Fact>
      <Fact label={i18n.t('profile.info.role')}>{roleText(user, i18n)}</Fact>
      <Fact label={i18n.t('profile.info.quota')}>{quotaText(user, i18n)}</Fact>
      <Fact label={i18n.t('profile.info.since')}>{i18n.dateTime(user.createdAt)}</Fact>
    </Facts>
  );
}
