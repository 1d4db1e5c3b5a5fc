import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { I18nProvider } from '../i18n/i18n-context.tsx';
import { RouterProvider } from '../routing/react/router-context.tsx';
import { Crashes } from './crashes.tsx';
import { NotificationsHost } from './notifications-host.tsx';
import type { Router } from '../routing/router.ts';
import type { Screens } from './screens.ts';
import { Shell } from './shell.tsx';
import { PageProvider, type PageServices } from '../page/page-context.tsx';
import { cssVariables, theme } from './theme.ts';

interface AppProps {
  readonly queryClient: QueryClient;
  readonly router: Router;
  readonly screens: Screens;
  readonly services: PageServices;
}

/** The page: its services around its router. */
export function App({ queryClient, router, screens, services }: AppProps) {
  const i18n = useSyncExternalStore(services.language.subscribe, services.language.get);
  return (
    <PageProvider value={services}>
      <I18nProvider value={i18n}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariables}
          colorSchemeManager={services.colorScheme}
          defaultColorScheme="auto"
        >
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router}>
              <Crashes until={router}>
                <Shell screens={screens} />
              </Crashes>
            </RouterProvider>
          </QueryClientProvider>
          <NotificationsHost />
        </MantineProvider>
      </I18nProvider>
    </PageProvider>
  );
}
