import { addresses, type Address } from '../ui/src/app/addresses.ts';

// Screens added to the page's table of addresses are tested without being listed again here.

/**
 * The addresses below `/ui` of all screens that a signed-in user can open.
 * @param params values for `$name` in an address
 */
export function routePaths(params: Readonly<Record<string, string>>): string[] {
  const table: [string, Address][] = Object.entries(addresses);
  return table
    .filter(([name, { isPublic = false }]) => !isPublic || name === '/not-found')
    .map(([name]) =>
      name.replaceAll(/\$(\w+)/g, (_, param: string) => {
        const value = params[param];
        if (value === undefined) throw new Error(`No value for $${param} in ${name}`);
        return value;
      }),
    );
}
