import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// The page's table of routes, read as text: a screen that is added there is looked at without being named again here.

const table = readFileSync(join(import.meta.dirname, '../ui/src/app/router.tsx'), 'utf8');

/**
 * The addresses below `/ui` of all screens that somebody signed in can open, redirects left out.
 * @param params what stands for `$name` in an address
 */
export function routePaths(params: Readonly<Record<string, string>>): string[] {
  // `const inStream = ... getParentRoute: () => stream` and `const stream = createRoute({ ...at('/stream/$uid')`.
  const parents = new Map<string, string>();
  for (const [, name = '', parent = ''] of table.matchAll(
    /const (in\w+) = .*?getParentRoute: \(\) => (\w+)/g,
  )) {
    const path = new RegExp(`const ${parent} = createRoute\\(\\{\\s*\\.\\.\\.at\\('([^']+)'`).exec(
      table,
    )?.[1];
    if (path === undefined) throw new Error(`the table of routes has no ${parent}`);
    parents.set(name, path);
  }
  const paths = [...table.matchAll(/\.\.\.(at|in\w+)\('([^']+)'\)/g)].map(
    ([, maker = '', path = '']) => (parents.get(maker) ?? '') + path,
  );
  const isPlace = (path: string) =>
    !path.endsWith('/') &&
    ![...parents.values()].includes(path) &&
    !['/auth', '/recover-password', '/init', '/license'].includes(path);
  return paths.filter(isPlace).map((path) =>
    path.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const value = params[name];
      if (value === undefined) throw new Error(`nothing stands for $${name} in ${path}`);
      return value;
    }),
  );
}
