import type { NewStream } from './streams.ts';

/** A stream as tests store it, named as its uid. */
export function newStream(uid: string, members: Partial<NewStream> = {}): NewStream {
  return {
    uid,
    name: uid,
    source: `rtsp://user:pass@cam/${uid}`,
    sub_source: null,
    location_name: '',
    latitude: null,
    longitude: null,
    marker: null,
    is_on_demand: 0,
    is_recorded: 1,
    depth_hours: -1,
    is_paused: 0,
    allows_loopback: 0,
    created_by: null,
    created_ms: 1,
    revision: 1,
    node_id: 'main',
    status: 'pending',
    share_key: null,
    tags: [],
    ...members,
  };
}
