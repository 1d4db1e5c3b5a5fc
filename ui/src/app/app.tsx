import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { I18nProvider } from '../i18n/i18n-context.tsx';
import { NotificationsHost } from './notifications-host.tsx';
import { PageProvider, type PageServices } from './page-context.tsx';
import type { createPageRouter } from './router.tsx';
import { cssVariables, theme } from './theme.ts';

interface AppProps {
  readonly queryClient: QueryClient;
  readonly router: ReturnType<typeof createPageRouter>;
  readonly services: PageServices;
}

/** The page: its services around its router. */
export function App({ queryClient, router, services }: AppProps) {
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
            <RouterProvider router={router} />
          </QueryClientProvider>
          <NotificationsHost />
        </MantineProvider>
      </I18nProvider>
    </PageProvider>
  );
}
