import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/**
 * Tells the service worker, after the build, which files make up the offline page and under which name to keep them.
 * The name comes from their content: a build that changes nothing of them leaves what is installed alone.
 */
export function offlineFiles(): Plugin {
  return {
    name: 'vidette:offline-files',
    async writeBundle({ dir = '' }) {
      const html = await readFile(join(dir, 'offline.html'), 'utf8');
      const files = [...html.matchAll(/(?:src|href)="(\/ui\/[^"]+)"/g)].map((match) => match[1] ?? '');
      const version = createHash('sha256').update(html).digest('hex').slice(0, 12);
      const path = join(dir, 'service-worker.js');
      const code = await readFile(path, 'utf8');
      await writeFile(
        path,
        code
          .replaceAll('OFFLINE_FILES', JSON.stringify(['/ui/offline.html', ...files]))
          .replaceAll('OFFLINE_VERSION', JSON.stringify(version)),
      );
    },
  };
}
