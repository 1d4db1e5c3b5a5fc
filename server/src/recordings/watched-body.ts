import type { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { LiveSessions } from '../streams/live-sessions.ts';

/**
 * A download of footage, as a session of its viewer. It may take an hour on a slow line: it stops when the
 * user loses the right on any of the streams.
 */
export function watchedBody(
  liveSessions: Pick<LiveSessions, 'addShort'>,
  principal: Principal,
  uids: readonly string[],
  body: Readable,
): Readable {
  const forget = uids.map((uid) =>
    liveSessions.addShort({
      principal,
      uid,
      right: 'archive',
      end: (code) => body.destroy(new Fault(code, 'The right to the archive has ended.')),
    }),
  );
  body.once('close', () => {
    for (const leave of forget) leave();
  });
  return body;
}
