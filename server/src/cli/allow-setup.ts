import { SetupConsent } from '../system/setup-consent.ts';

/**
 * `vidette allow-setup`: lets a server whose database is new make its first administrator although its archive holds footage of
 * before. It may run meanwhile: it prints its set-up code then.
 */
export async function allowSetup(dataDir: string, out: (line: string) => void): Promise<number> {
  await new SetupConsent(dataDir).give();
  out(
    'The next set-up is allowed. The server prints a set-up code on its console; the person who enters it can see all the footage.',
  );
  return 0;
}
