import { useQueryClient } from '@tanstack/react-query';
import type { Profile } from '@vidette/contract/entities';
import { takeDestination } from '../../page/sign-in-destination.ts';
import { usePage } from '../../page/page-context.tsx';
import { setUser, settingsQuery } from '../../api/session.ts';
import type { NavigateOptions } from '../../routing/addresses.ts';
import { useNavigate } from '../../routing/react/router-context.tsx';

/**
 * The steps after a successful sign-in: the user's language, fresh settings, and the wanted destination
 * [R2.21].
 */
export function useEnter(): (user: Profile, mustChangePassword: boolean) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { language, isAddressName } = usePage();
  return async (user, mustChangePassword) => {
    await Promise.all([
      language.change(user.language),
      queryClient.fetchQuery({ ...settingsQuery, staleTime: 0 }),
    ]);
    setUser(queryClient, user);
    const destination = takeDestination(sessionStorage, isAddressName);
    if (mustChangePassword) await navigate({ to: '/profile/me/edit' });
    else if (destination) {
      const { name, params, search } = destination;
      await navigate({ to: name, params, search } as NavigateOptions);
    } else await navigate({ to: '/streams' });
  };
}
