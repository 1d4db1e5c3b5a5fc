import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { offlineFiles } from './offline-files.ts';

const everyScreen = new RegExp(
  [
    'node_modules/(react|react-dom|scheduler|clsx|use-sync-external-store)/',
    'node_modules/@tanstack/(query-core|react-query)/(?!.*(nfiniteQuery|ueriesObserver|useQueries))',
    '@mantine/core/esm/(core|components/(Button|Loader|UnstyledButton|ActionIcon|Input|InputBase|TextInput|CloseButton))/',
    '@tabler/icons-react/dist/esm/[^/]+$',
    '@mantine/core/esm/components/Skeleton/',
    'IconPlugConnectedX|IconAlertTriangle|IconClockHour4|IconError404|IconLock\\.|IconMoodWrrr',
    'ui/src/(api/(api|session)|i18n/(i18n|icu)|components/(form|page-state))',
    'ui/src/app/(app|banner|boot|chosen-zone|color-scheme|destination|failures|fallback-screens)\\.',
    'ui/src/app/(admission|crashes|host-app|language-store|notif|offline-banner|offline-page|page-context|query-client)',
    'ui/src/app/(screen-chunks|screen-host|screens|shell|theme|title)\\.',
    'ui/src/routing/(?!.*use-blocker)',
    'ui/src/screens/(audit-logs/audit-search|bookmarks/bookmarks-search|users/users-search)',
  ].join('|'),
);

/** What the public page of a shared stream has in common with the application, of which it loads nothing else. */
const everyEntry = /contract\/src\/(client|routes|errors|constants)/;

/** Builds the pages into `ui/dist`, from where the server serves it under `/ui/`. */
export default defineConfig({
  base: '/ui/',
  plugins: [react(), offlineFiles()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'share.html', 'offline.html', 'src/offline/service-worker.ts'],
      output: {
        // A worker's reach is its folder's, and the browser looks for a newer one under the name it knows.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
        // What every screen stands on travels in one file: crumbs of it compress worse and come later.
        codeSplitting: {
          groups: [
            { name: 'wire', test: everyEntry, priority: 1 },
            { name: 'base', test: everyScreen },
          ],
        },
      },
    },
  },
});
