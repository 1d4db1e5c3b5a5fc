import { fragment, type FragmentTrack } from '@vidette/media/fmp4/fragment';
import { initSegment } from '@vidette/media/fmp4/init';
import type { Sample } from '@vidette/media/sample';
import { releaseSample } from '@vidette/media/sample-block';
import type { Track } from '@vidette/media/track';
import { prepareMessage, type PreparedMessage } from '../base/web-socket.ts';

export interface LiveInit {
  readonly mimeType: string;
  readonly message: PreparedMessage;
}

interface BuiltFragment {
  readonly runs: readonly FragmentTrack[];
  readonly message: PreparedMessage;
}

/**
 * Builds the bytes that live viewers of one stream receive, each fragment once, however many viewers there are:
 * viewers that keep pace request the same samples in the same grouping and get the same buffer. A fragment is
 * released with its samples, when the hub's GOP buffer drops them.
 */
export class LiveFragmenter {
  readonly #inits = new WeakMap<readonly Track[], Map<string, LiveInit>>();
  readonly #built = new WeakMap<Sample, BuiltFragment>();
  #sequence = 0;
  #builds = 0;

  /** Number of fragments that were actually built; for statistics and for the test that they are shared. */
  get builds(): number {
    return this.#builds;
  }

  /**
   * Init segment and media type for some of the tracks that the hub declared.
   * @param declared the hub's own list, the key under which the result is cached
   */
  init(declared: readonly Track[], used: readonly Track[]): LiveInit {
    const key = used.map(({ id }) => id).join();
    const known = this.#inits.get(declared) ?? new Map<string, LiveInit>();
    this.#inits.set(declared, known);
    const made = known.get(key);
    if (made) return made;
    const bytes = initSegment(used);
    const init = { mimeType: mimeTypeOf(used), message: prepareMessage([bytes], bytes.length) };
    known.set(key, init);
    return init;
  }

  /** One moof and mdat, a copy of the samples, which are released. At least one track must have a sample. */
  fragment(runs: readonly FragmentTrack[]): PreparedMessage {
    const message = this.#fragment(runs);
    for (const { samples } of runs) samples.forEach(releaseSample);
    return message;
  }

  #fragment(runs: readonly FragmentTrack[]): PreparedMessage {
    const first = runs.find(({ samples }) => samples.length > 0)?.samples[0];
    if (!first) throw new RangeError('A live fragment must have samples');
    const known = this.#built.get(first);
    if (known && isSame(known.runs, runs)) return known.message;
    const { slices, size } = fragment({ sequence: ++this.#sequence, tracks: runs });
    this.#builds++;
    const message = prepareMessage(slices, size);
    this.#built.set(first, { runs, message });
    return message;
  }
}

/** The same samples with the same durations. All samples between the first and the last belong to a fragment. */
function isSame(runs: readonly FragmentTrack[], others: readonly FragmentTrack[]): boolean {
  return (
    runs.length === others.length &&
    runs.every(({ track, samples, endDts }, at) => {
      const other = others[at];
      return (
        track.id === other?.track.id &&
        samples.length === other.samples.length &&
        samples[0] === other.samples[0] &&
        endDts === other.endDts
      );
    })
  );
}

/** RFC 6381; the container of an audio-only stream is audio/mp4. */
function mimeTypeOf(tracks: readonly Track[]): string {
  const codecs = tracks.map(({ codecString }) => codecString).join(', ');
  const type = tracks.some(({ kind }) => kind === 'video') ? 'video/mp4' : 'audio/mp4';
  return `${type}; codecs="${codecs}"`;
}
