import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { firstFiles } from './first-files.ts';
import { offlineFiles } from './offline-files.ts';

/**
 * The folders of what every screen needs. Their own imports travel with them, those of icons and of Mantine's
 * components too; what a screen imports beside that is a chunk of its own.
 */
const everyScreen = new RegExp(
  [
    'node_modules/(react|react-dom|scheduler|clsx|use-sync-external-store)/',
    '@mantine/core/esm/(core|components/(Button|Loader|UnstyledButton|ActionIcon|Input|InputBase|TextInput|CloseButton|Skeleton))/',
    '@tabler/icons-react/dist/esm/[^/]+$',
    'ui/src/(api|page|routing)/',
    'ui/src/(app|i18n)/[^/]+$',
    // Both the sign-in screen and others use these few lines, which are not worth a request.
    'ui/src/components/(logo|notice)\\.tsx$',
    '@mantine/hooks/esm/use-uncontrolled/',
  ].join('|'),
);

/**
 * What several screens share, or one screen alone needs, in files of some size: as fifty files of a few lines each, they
 * took longer to request than to load. A group includes what its modules import, unless an earlier group has it.
 */
const screenGroups = [
  { name: 'sign-in', test: /ui\/src\/features\/sign-in\/auth\.tsx$/ },
  // The public page of a shared stream plays live video with these alone.
  {
    name: 'player',
    test: /ui\/src\/playback\/(live-playback|live-connection|playback-engine|background-suspend|frame-age|media-sink|ticks|codec-name)\.ts$/,
  },
  {
    name: 'frame',
    test: new RegExp(
      [
        'ui/src/app/frame/app-shell\\.tsx$',
        'ui/src/features/streams/(stream-tile|stream-status|use-stream-still|reason)\\.tsx?$',
        'ui/src/components/(fresh-snapshot|delayed)\\.tsx$',
        '@mantine/core/esm/components/NativeSelect/',
        '@tabler/icons-react/dist/esm/icons/IconPlayer(Play|Pause)\\.mjs$',
      ].join('|'),
    ),
  },
  { name: 'streams', test: /ui\/src\/features\/streams\/list\/streams\.tsx$/ },
  { name: 'panels', test: /@mantine\/core\/esm\/components\/(Popover|Modal|ScrollArea|Text|Anchor)\// },
  { name: 'view', test: /ui\/src\/features\/stream-view\/stream-view\.tsx$/ },
];

/** What the public page of a shared stream has in common with the application, of which it loads nothing else. */
const everyEntry = /contract\/src\/(client|routes|errors|constants)|ui\/src\/base\//;

/** Builds the pages into `ui/dist`, from where the server serves it under `/ui/`. */
export default defineConfig({
  base: '/ui/',
  plugins: [react(), offlineFiles(), firstFiles()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'share.html', 'offline.html', 'help.html', 'src/offline/service-worker.ts'],
      output: {
        // A worker's reach is its folder's, and the browser looks for a newer one under the name it knows.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
        // What every screen stands on travels in one file: crumbs of it compress worse and come later.
        codeSplitting: {
          groups: [
            { name: 'wire', test: everyEntry, priority: 1 },
            { name: 'base', test: everyScreen },
            ...screenGroups,
          ],
        },
      },
    },
  },
});
