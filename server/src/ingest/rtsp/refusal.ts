import type { RtspResponse } from '@vidette/media/rtsp/message';
import { Fault } from '../../base/fault.ts';
import { STATUS_CODES } from '../../base/node-http.ts';

/** The credentials are wrong, or there are none. */
export function refused(): Fault {
  return new Fault('HTTP_UNAUTHORIZED', 'The camera refused the user name or password.');
}

/** @throws Fault with a message, unless the status is 2xx */
export function refuseUnlessOk(response: RtspResponse, method: string): void {
  const refusal = refusalOf(response, method);
  if (refusal) throw refusal;
}

/** The meaning of a status for users; undefined for 2xx. */
export function refusalOf({ status }: RtspResponse, method: string): Fault | undefined {
  if (status >= 200 && status < 300) return undefined;
  switch (status) {
    case 401:
    case 403:
    case 407:
      return refused();
    case 404:
    case 410:
      return new Fault('HTTP_NOT_FOUND', 'The camera has no stream at this path.');
    case 461:
      return new Fault('ProbeError', 'The camera does not send its stream over TCP.');
    default: {
      // The camera's own reason phrase may repeat the address with its secrets, so the standard phrase is
      // shown.
      const reason = STATUS_CODES[status] ?? '';
      return new Fault('ProbeError', `The camera answered ${status}${reason && ` ${reason}`} to ${method}.`);
    }
  }
}
