import { routes } from '@vidette/contract/routes';

/** Addresses beside the contract's: the page and the metrics. */
const others: readonly { readonly path: string; readonly methods: readonly string[] }[] = [
  { path: '/', methods: ['GET', 'HEAD'] },
  { path: '/ui', methods: ['GET', 'HEAD'] },
  { path: '/metrics', methods: ['GET'] },
];

/** Part by part; a parameter is undefined. */
interface Known {
  readonly parts: readonly (string | undefined)[];
  readonly methods: Set<string>;
}

const known: readonly Known[] = [
  ...others,
  ...Object.values(routes).map(({ path, method }) => ({ path, methods: [method] })),
].map(({ path, methods }) => ({
  parts: path.split('/').map((part) => (part.startsWith('{') ? undefined : part)),
  methods: new Set(methods),
}));

/** Methods that the address of a request takes, for `Allow` (RFC 9110, 10.2.1); none when there is nothing there. */
export function allowedMethods(url: string): string[] {
  const path = url.split(/[?#;]/, 1)[0] ?? '';
  if (path.startsWith('/ui/')) return ['GET', 'HEAD'];
  const parts = path.split('/', 16);
  // A path that is written out in full goes before one with a parameter in that place, as when requests are routed.
  const fitting = known.filter((one) => fits(one.parts, parts));
  const fullest = Math.min(...fitting.map(({ parts: of }) => openParts(of)));
  const methods = fitting
    .filter(({ parts: of }) => openParts(of) === fullest)
    .flatMap((one) => [...one.methods]);
  return [...new Set(methods)].sort();
}

function fits(known: readonly (string | undefined)[], parts: readonly string[]): boolean {
  return (
    known.length === parts.length &&
    known.every((part, index) => part === parts[index] || (part === undefined && parts[index] !== ''))
  );
}

function openParts(parts: readonly (string | undefined)[]): number {
  return parts.filter((part) => part === undefined).length;
}
