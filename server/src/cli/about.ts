import packageFile from '../../../package.json' with { type: 'json' };
import { CATALOG_FROM, CATALOG_VERSION } from '../archive/version/version.ts';
import type { ProgramFacts } from '../processes/program-facts.ts';

/** Of the program that this process has loaded. */
export function ownFacts(): ProgramFacts {
  return { version: packageFile.version, catalog: CATALOG_VERSION, catalogFrom: CATALOG_FROM };
}

/** Prints what a server needs to know of a program before its processes are replaced by it. */
export function about(isJson: boolean, out: (line: string) => void): number {
  const facts = ownFacts();
  out(isJson ? JSON.stringify(facts) : `Vidette ${facts.version}, catalog ${facts.catalog}`);
  return 0;
}
