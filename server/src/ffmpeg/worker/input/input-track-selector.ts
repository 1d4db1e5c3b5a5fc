import type { Track } from '@vidette/media/track';
import type { JobOutput } from '../../worker-job.ts';
import type { OutgoingSample, PathOutput } from '../codec/media-path.ts';

/** Samples that wait for a track that has not shown its parameters yet: about a second and a half. */
const heldMax = 120;

/**
 * Passes samples on once the parameters of every track are known, so that a source starts with all its tracks
 * together; but a silent track doesn't delay the others for long. A track that appears later, or changes,
 * causes a new declaration of all tracks.
 */
export class InputTrackSelector {
  readonly #output: JobOutput;
  readonly #expected: number;
  readonly #videoId: number;
  readonly #tracks = new Map<number, Track>();
  #held: OutgoingSample[] | undefined = [];
  /** Samples passed on. */
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
