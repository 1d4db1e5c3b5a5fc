import type { EventStreams } from '../../events/event-streams.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the event stream. */
export interface EventServices {
  readonly eventStreams: Pick<EventStreams, 'follow'>;
}

/** What changes, as Server-Sent Events (HTML Living Standard, 9.2). */
export function registerEvents(registrar: Registrar, { eventStreams }: EventServices): void {
  registrar.handle('watchEvents', ({ principal, language, request }) => {
    const lastEventId = request.headers['last-event-id'];
    const body = eventStreams.follow(
      principal,
      language,
      typeof lastEventId === 'string' ? lastEventId : undefined,
    );
    // A proxy must pass each event on as it comes.
    return { contentType: 'text/event-stream', body, headers: { 'x-accel-buffering': 'no' } };
  });
}
