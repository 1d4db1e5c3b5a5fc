import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FirstFiles } from '@vidette/contract/first-files';
import { firstFilesFor, firstStillFor, type FirstVisit } from './first-files.ts';
import type { PageFiles } from './page-files.ts';

const list: FirstFiles = {
  frame: ['frame.js'],
  firstMessages: { en: ['first.js'], ru: ['first-ru.js'] },
  otherMessages: { en: ['other.js'], ru: ['other-ru.js'] },
  fonts: { en: ['latin.woff2'], ru: ['latin.woff2', 'cyrillic.woff2'] },
  screens: {
    '/auth': { files: ['auth.js', 'auth.css'], usesFirstMessages: true },
    '/init': { files: ['init.js'], usesFirstMessages: true },
    '/recover-password': { files: ['recover.js'], usesFirstMessages: true },
    '/streams': { files: ['streams.js'], usesFirstMessages: true },
    '/stream/$uid/view': { files: ['view.js', 'frame.js'], usesFirstMessages: false },
    '/mosaic/$id': { files: ['mosaic.js'], usesFirstMessages: false },
  },
};

const built = {
  find: (name: string) =>
    Promise.resolve(
      name === 'first-files.json' ? { bytes: Buffer.from(JSON.stringify(list)) } : undefined,
    ) as ReturnType<PageFiles['find']>,
} as PageFiles;

const visit = async (path: string, more: Partial<FirstVisit> = {}) => [
  ...(await firstFilesFor(built, { path, isLocked: false, isSignedIn: true, language: 'en', ...more })),
];

test('a visitor is sent the files of the screen that the address shows them, in their language', async () => {
  assert.deepEqual(await visit('/streams'), ['streams.js', 'frame.js', 'latin.woff2', 'first.js']);
  assert.deepEqual(await visit('/'), await visit('/streams'));
  assert.deepEqual(await visit('/stream/ab1/view', { language: 'ru' }), [
    'view.js',
    'frame.js',
    'latin.woff2',
    'cyrillic.woff2',
    'first-ru.js',
    'other-ru.js',
  ]);
  assert.deepEqual(await visit('/mosaic/7'), [
    'mosaic.js',
    'frame.js',
    'latin.woff2',
    'first.js',
    'other.js',
  ]);
  assert.deepEqual(await visit('/streams', { isSignedIn: false }), [
    'auth.js',
    'auth.css',
    'latin.woff2',
    'first.js',
  ]);
  assert.deepEqual(await visit('/recover-password', { isSignedIn: false }), [
    'recover.js',
    'latin.woff2',
    'first.js',
  ]);
  assert.deepEqual(await visit('/streams', { isLocked: true, isSignedIn: false }), [
    'init.js',
    'latin.woff2',
    'first.js',
  ]);
});

test('an unknown address gets the frame and the texts, and a page that lists nothing gets nothing', async () => {
  assert.deepEqual(await visit('/stream/ab1/view/more'), ['frame.js', 'latin.woff2', 'first.js']);
  const none = { find: () => Promise.resolve(undefined) } as unknown as PageFiles;
  const visited = { path: '/', isLocked: false, isSignedIn: true, language: 'en' } as const;
  assert.equal((await firstFilesFor(none, visited)).size, 0);
});

test('the view of a stream begins with a still, unless it begins in the archive', () => {
  assert.equal(firstStillFor('/ui/stream/ab1/view'), '/v1/stream/ab1/picture?width=1280');
  assert.equal(firstStillFor('/ui/stream/ab1/view?kiosk=true'), '/v1/stream/ab1/picture?width=1280');
  assert.equal(firstStillFor('/ui/stream/ab1/view?t=1700000000000'), undefined);
  assert.equal(firstStillFor('/ui/stream/ab1/info'), undefined);
  assert.equal(firstStillFor('/ui/stream/"><script>/view'), undefined);
});
