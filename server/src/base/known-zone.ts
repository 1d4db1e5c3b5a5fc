import { Fault } from './fault.ts';

/** @throws Fault ValidationError, at the field `path`, for a time zone name that this machine does not know */
export function requireKnownZone(timeZone: string, path: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (error) {
    throw new Fault('ValidationError', 'There is no such time zone.', {
      cause: error,
      details: { fields: [{ path, code: 'invalid_value' }] },
    });
  }
}
