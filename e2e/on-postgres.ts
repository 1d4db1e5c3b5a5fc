// `npm run test:postgres [FILE...]`: runs the store's tests and the whole black-box suite, or the given files,
// on their own PostgreSQL server instead of SQLite. `npm test` runs a selection of them (`postgres.test.ts`).
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from './postgres.ts';

const root = join(import.meta.dirname, '..');
const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : [
        'server/src/store/store.test.ts',
        'server/src/store/sort-keys.test.ts',
        'server/src/store/access-changes.test.ts',
        'server/src/store/journal.test.ts',
        'server/src/events/notifications.test.ts',
        'server/src/events/push-targets.test.ts',
        'server/src/recordings/footage-holds.test.ts',
        'server/src/access/identities.test.ts',
        ...globSync('e2e/api/*.test.ts', { cwd: root }).sort(),
      ];

const postgres = await startPostgres();
try {
  const args = ['--test', '--test-force-exit', '--test-concurrency=1', '--test-reporter=spec', ...files];
  const env = { ...process.env, VIDETTE_TEST_POSTGRES: postgres.url('postgres') };
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
} finally {
  await postgres.stop();
}
