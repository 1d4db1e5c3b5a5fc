import type { Track } from '@vidette/media/track';
import type { JobOutput } from './job.ts';
import type { OutgoingSample, PathOutput } from './media-path.ts';

/** Samples that wait for a track that has not shown its parameters yet: about a second and a half. */
const heldMax = 120;

/**
 * Lets samples out once the parameters of every track are known, so that a source begins with all its tracks at once;
 * but a track that stays silent holds up nobody for long. A track that comes later, or changes, declares all anew.
 */
export class AvTrackSelector {
  readonly #output: JobOutput;
  readonly #expected: number;
  readonly #videoId: number;
  readonly #tracks = new Map<number, Track>();
  #held: OutgoingSample[] | undefined = [];
  /** Samples that were let out. */
  passed = 0;

  constructor(output: JobOutput, expected: number, videoId: number) {
    this.#output = output;
    this.#expected = expected;
    this.#videoId = videoId;
  }

  take(item: PathOutput): void {
    if (item.type === 'awaiting') {
      this.#output.awaiting('video');
      return;
    }
    if (item.type === 'track') {
      this.#tracks.set(item.track.id, item.track);
      if (!this.#held) this.#declare();
      else if (this.#tracks.size === this.#expected) this.#open(this.#held);
      return;
    }
    if (!this.#held) {
      this.#pass(item.sample);
      return;
    }
    this.#held.push(item.sample);
    this.#output.awaiting(item.sample.trackId === this.#videoId ? 'video' : 'audio');
    if (this.#held.length < heldMax) return;
    if (this.#tracks.has(this.#videoId)) this.#open(this.#held);
    else this.#held.shift();
  }

  #open(held: readonly OutgoingSample[]): void {
    this.#held = undefined;
    this.#declare();
    for (const sample of held) this.#pass(sample);
  }

  #declare(): void {
    const tracks = [...this.#tracks.values()].sort((a, b) => a.id - b.id);
    this.#output.tracks(tracks, 'source');
  }

  #pass(sample: OutgoingSample): void {
    this.passed++;
    this.#output.sample(sample);
  }
}
