import { ownTimeZone } from '../i18n/i18n.ts';

/**
 * The IANA name of the zone in which a user's times are shown.
 * @param choice `viewer`, `server`, `stream`, or the name of a zone
 * @param serverZone the zone of the server's clock; null while no user is signed in
 * @param streamZone the zone of the stream on screen; null without a stream, or if it has no zone
 */
export function chosenZone(
  choice: string,
  serverZone: string | null,
  streamZone: string | null = null,
): string {
  const named: Readonly<Record<string, string | null>> = {
    viewer: null,
    server: serverZone,
    stream: streamZone,
  };
  const name = Object.hasOwn(named, choice) ? named[choice] : choice;
  return name && isKnownZone(name) ? name : ownTimeZone();
}

/** Whether this browser can format times in a zone; the server may know more zones than an old browser. */
function isKnownZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
