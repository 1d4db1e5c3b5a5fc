import type { LiveViewing } from '../../streams/live-viewing.ts';
import type { StreamEditing } from '../../streams/stream-editing.ts';
import type { StreamInsight } from '../../streams/stream-insight.ts';
import type { StreamLists } from '../../streams/stream-lists.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the stream calls. */
export interface StreamServices {
  readonly streamLists: Pick<StreamLists, 'page' | 'statuses' | 'tags'>;
  readonly streamEditing: StreamEditing;
  /** Of streams on any node. */
  readonly insight: Pick<StreamInsight, 'logs' | 'stats'>;
  readonly liveViewing: Pick<LiveViewing, 'snapshot'>;
}

/** Streams: list, read, add, change, pause, delete, and the state of a running one. */
export function registerStreams(registrar: Registrar, services: StreamServices): void {
  registerLists(registrar, services);
  registerChanges(registrar, services);
  registerRunning(registrar, services);
}

function registerLists(registrar: Registrar, { streamLists }: StreamServices): void {
  registrar.handle('listStreams', ({ principal, query, language }) =>
    streamLists.page(principal, query, language),
  );

  registrar.handle('listStreamStatuses', ({ principal, query, language }) =>
    streamLists.statuses(principal, query, language),
  );

  registrar.handle('listStreamTags', ({ principal }) => streamLists.tags(principal));
}

function registerChanges(registrar: Registrar, { streamEditing }: StreamServices): void {
  registrar.handle('addStream', async ({ principal, body, audit }) => ({
    uid: await streamEditing.add(principal, body, audit),
  }));

  registrar.handle('getStream', ({ stream, query, language }) =>
    streamEditing.get(stream, query.extend_lease, language),
  );

  registrar.handle('saveStream', ({ principal, stream, body, language, audit }) =>
    streamEditing.save(principal, stream, body, language, audit),
  );

  registrar.handle('deleteStream', async ({ stream, query, audit }) => {
    await streamEditing.remove(stream, query.purge, audit);
    return {};
  });

  registrar.handle('pauseStream', async ({ principal, body }) => ({
    status: await streamEditing.setPaused(principal, body.uid, true),
  }));

  registrar.handle('resumeStream', async ({ principal, body }) => ({
    status: await streamEditing.setPaused(principal, body.uid, false),
  }));
}

function registerRunning(registrar: Registrar, { insight, liveViewing }: StreamServices): void {
  registrar.handle('getStreamPicture', async ({ stream, principal, query, ip }) => {
    const viewer = { principal, uid: stream.stream.uid, ip };
    const snapshot = await liveViewing.snapshot(viewer, query.width);
    return {
      contentType: 'image/jpeg',
      body: snapshot.jpeg,
      headers: { 'x-picture-time': String(snapshot.timeMs) },
    };
  });

  registrar.handle('getStreamLogs', ({ stream, query }) => insight.logs(stream.stream.uid, query.after));

  registrar.handle('getStreamStats', ({ stream, language }) => insight.stats(stream.stream.uid, language));
}
