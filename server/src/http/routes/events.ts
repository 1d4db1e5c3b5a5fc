import type { EventStreams } from '../../events/event-streams.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the event stream. */
export interface EventServices {
  readonly eventStreams: Pick<EventStreams, 'follow'>;
}

/** What changes, as Server-Sent Events (HTML Living Standard, 9.2). */
export function registerEvents(registrar: Registrar, { eventStreams }: EventServices): void {
  registrar.handle('watchEvents', ({ principal, language, request, reply }) => {
    const lastEventId = request.headers['last-event-id'];
    const body = eventStreams.follow(
      principal,
      language,
      typeof lastEventId === 'string' ? lastEventId : undefined,
    );
    // The response ends with its connection: to frame each of its small writes would cost more than they do.
    reply.raw.useChunkedEncodingByDefault = false;
    // A proxy must pass each event on as it comes.
    return { contentType: 'text/event-stream', body, headers: { 'x-accel-buffering': 'no' } };
  });
}
