import { useQuery } from '@tanstack/react-query';
import { userQuery } from '../users-api.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { quotaText, roleText } from '../../account/role-text.ts';
import { useParams } from '../../../routing/react/router-context.tsx';

/** A user's properties. */
export function UserInfoScreen() {
  const i18n = useI18n();
  const { login } = useParams({ from: '/user/$login' });
  const { data: user } = useQuery(userQuery(login));
  if (!user) return null;
  return (
    <Facts>
      <Fact label={i18n.t('profile.info.login')}>{user.name}</Fact>
      <Fact label={i18n.t('account.fullName')}>{user.fullName || i18n.t('profile.none')}</Fact>
      <Fact label={i18n.t('account.email')}>{user.email || i18n.t('profile.none.email')}</Fact>
      <Fact label={i18n.t('profile.info.role')}>{roleText(user, i18n)}</Fact>
      <Fact label={i18n.t('user.quota')}>{quotaText(user, i18n)}</Fact>
      <Fact label={i18n.t('user.convert')}>
        {i18n.t(user.isAdmin || user.canConvert ? 'user.convert.yes' : 'user.convert.no')}
      </Fact>
      <Fact label={i18n.t('user.state')}>
        {i18n.t(user.isBlocked ? 'user.state.blocked' : 'user.state.active')}
      </Fact>
      {user.mustChangePassword && <Fact label={i18n.t('account.password')}>{i18n.t('user.mustChange')}</Fact>}
      <Fact label={i18n.t('users.lastSeen')}>
        {user.lastSeenTime === null ? i18n.t('users.neverSeen') : i18n.dateTime(user.lastSeenTime)}
      </Fact>
      <Fact label={i18n.t('profile.info.since')}>{i18n.dateTime(user.createdAt)}</Fact>
    </Facts>
  );
}
