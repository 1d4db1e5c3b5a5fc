import { routes } from '@vidette/contract/routes';
import { securityTextPath } from './security-text.ts';

/** Addresses outside the contract: the page, the metrics, and where to report vulnerabilities. */
const others: readonly { readonly path: string; readonly methods: readonly string[] }[] = [
  { path: '/', methods: ['GET', 'HEAD'] },
  { path: '/ui', methods: ['GET', 'HEAD'] },
  { path: '/metrics', methods: ['GET'] },
  { path: securityTextPath, methods: ['GET', 'HEAD'] },
];

const every = [...others, ...Object.values(routes).map(({ path, method }) => ({ path, methods: [method] }))];

/** Methods by path; parts in braces are parameters. */
const byPath = new Map(
  [...Map.groupBy(every, ({ path }) => path)].map(([path, same]) => [
    path,
    same.flatMap(({ methods }) => methods).sort(),
  ]),
);
const withParameters = [...byPath]
  .filter(([path]) => path.includes('{'))
  .map(([path, methods]) => ({ parts: path.split('/'), methods }));

/**
 * The methods accepted at the address of a request with another method, for `Allow` (RFC 9110, 10.2.1);
 * undefined when the method is accepted, or when nothing exists there. A literal path takes precedence over a
 * parameter: `GET /v1/stream/pause` does not request a stream called `pause`.
 * @param isUnrouted no route matches the request
 */
export function methodsInstead(
  method: string,
  url: string,
  isUnrouted: boolean,
): readonly string[] | undefined {
  const path = url.split(/[?#;]/, 1)[0] ?? '';
  const written = byPath.get(path);
  if (written) return written.includes(method) ? undefined : written;
  if (!isUnrouted) return undefined;
  if (path.startsWith('/ui/')) return ['GET', 'HEAD'];
  const parts = path.split('/', 16);
  return withParameters.find((one) => fits(one.parts, parts))?.methods;
}

function fits(known: readonly string[], parts: readonly string[]): boolean {
  return (
    known.length === parts.length &&
    known.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
  );
}
