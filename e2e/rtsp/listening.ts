import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';
import { systemClock } from '../../server/src/base/clock.ts';
import { createDial } from '../../server/src/dial/dial.ts';
import { RtspSession, type RtspSessionOptions } from '../../server/src/ingest/rtsp/session.ts';
import type { PauseCause } from '../../server/src/hub/reader.ts';

/** The output of a session so far. */
export interface Heard {
  /** Every declaration, in order. */
  readonly tracks: readonly (readonly Track[])[];
  readonly samples: readonly Sample[];
  readonly notes: readonly string[];
  readonly lostPackets: number;
}

export interface Listening extends Heard {
  /** How the session ended: by its own reason, or `stopped` once `until` held. */
  readonly cause: PauseCause;
}

export type ListenOptions = Pick<RtspSessionOptions, 'url'> & Partial<RtspSessionOptions>;

/** A dialler that may connect to this machine. */
export const loopbackDial = createDial({ clock: systemClock, allowLoopback: true });

const limitMs = 60_000;

/** Runs a session until `until` is true for its output, or it ends. Rejects as the session does. */
export async function listen(options: ListenOptions, until: (heard: Heard) => boolean): Promise<Listening> {
  const tracks: (readonly Track[])[] = [];
  const samples: Sample[] = [];
  const notes: string[] = [];
  const heard = { tracks, samples, notes, lostPackets: 0 };
  const stop = new AbortController();
  const limit = setTimeout(() => stop.abort(), limitMs);
  const look = () => {
    if (until(heard)) stop.abort();
  };
  try {
    const session = new RtspSession({ clock: systemClock, dial: loopbackDial, ...options });
    const cause = await session.run(
      {
        tracks(list) {
          tracks.push(list);
          look();
        },
        sample(sample) {
          if (stop.signal.aborted) return;
          samples.push(sample);
          look();
        },
        awaiting() {},
        lost(packets) {
          heard.lostPackets += packets;
        },
        note(message) {
          notes.push(message);
        },
      },
      stop.signal,
    );
    return { ...heard, cause };
  } finally {
    clearTimeout(limit);
  }
}

/** The samples of one track. */
export function ofTrack(heard: Heard, trackId: number): Sample[] {
  return heard.samples.filter((sample) => sample.trackId === trackId);
}
