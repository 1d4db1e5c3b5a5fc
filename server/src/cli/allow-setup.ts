import { SetupConsent } from '../system/setup-consent.ts';

/**
 * `vidette allow-setup`: lets a server with a new database create its first administrator although its archive
 * holds earlier footage. The server may be running: it then prints its setup code.
 */
export async function allowSetup(dataDir: string, out: (line: string) => void): Promise<number> {
  await new SetupConsent(dataDir).give();
  out(
    'The next set-up is allowed. The server prints a set-up code on its console; the person who enters it can see all footage.',
  );
  return 0;
}
