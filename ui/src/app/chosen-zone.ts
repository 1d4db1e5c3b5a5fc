import { ownTimeZone } from '../i18n/i18n.ts';

/**
 * The IANA name of the zone that somebody's times are written in.
 * @param choice `viewer`, `server`, or the name of a zone
 * @param serverZone the zone of the server's clock; null while nobody is signed in
 */
export function chosenZone(choice: string, serverZone: string | null): string {
  const name = choice === 'server' ? serverZone : choice;
  return name !== null && name !== 'viewer' && isKnownZone(name) ? name : ownTimeZone();
}

/** Whether this browser can write times in a zone; the server may know more of them than an old browser. */
function isKnownZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
