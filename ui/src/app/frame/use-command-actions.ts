import type { User } from '@vidette/contract/entities';
import { useSaveProfile } from '../../features/account/account-api.ts';
import type { SearchResult } from './search-api.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { textOf } from '../../page/failures.ts';
import { useLeave } from './leave.ts';
import { notifyError } from '../../page/notify.ts';
import { usePage } from '../../page/page-context.tsx';
import type { NavigateOptions } from '../../routing/addresses.ts';
import { useNavigate } from '../../routing/react/router-context.tsx';
import type { CommandActions } from './palette-commands.ts';
import { addRecent } from './palette-recent.ts';

/** The actions of the palette's lines. */
export function useCommandActions(user: User): CommandActions {
  const i18n = useI18n();
  const navigate = useNavigate();
  const { language } = usePage();
  const save = useSaveProfile();
  const onError = (error: unknown) => notifyError(i18n.t('settings.failed'), textOf(error, i18n));
  return {
    goTo: (address) => void navigate({ to: address as '/streams' }),
    open: (found) => {
      addRecent(localStorage, user.name, found);
      void navigate(placeOf(found));
    },
    chooseTheme: (theme) => save.mutate({ preferences: { theme } }, { onError }),
    chooseLanguage: (chosen) =>
      save.mutate({ language: chosen }, { onError, onSuccess: () => void language.change(chosen) }),
    leave: useLeave(),
  };
}

/** The location of an item. */
function placeOf({ kind, id, name }: SearchResult): NavigateOptions {
  switch (kind) {
    case 'stream':
      return { to: '/stream/$uid/view', params: { uid: id } };
    case 'mosaic':
      return { to: '/mosaic/$id', params: { id } };
    case 'user':
      return { to: '/user/$login/info', params: { login: id } };
    case 'bookmark':
      return { to: '/bookmarks', search: { q: name } };
  }
}
