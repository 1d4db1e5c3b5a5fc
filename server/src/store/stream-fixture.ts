import type { NewStream } from './stream-row.ts';

/** A stream for tests, named after its uid. */
export function newStream(uid: string, members: Partial<NewStream> = {}): NewStream {
  return {
    uid,
    name: uid,
    source: `rtsp://user:pass@cam/${uid}`,
    subSource: null,
    location: { name: '' },
    live: { onDemand: false },
    archive: { isEnable: true, depthHours: -1 },
    isPaused: false,
    allowsLoopback: false,
    createdBy: null,
    createdMs: 1,
    revision: 1,
    nodeId: 'main',
    status: 'pending',
    shareKey: null,
    tags: [],
    ...members,
  };
}
