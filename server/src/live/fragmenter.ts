import { fragment, type FragmentTrack } from '@vidette/media/fmp4/fragment';
import { initSegment } from '@vidette/media/fmp4/init';
import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';

export interface LiveInit {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

interface BuiltFragment {
  readonly signature: string;
  readonly bytes: Uint8Array;
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
    const init = known.get(key) ?? { mimeType: mimeTypeOf(used), bytes: initSegment(used) };
    known.set(key, init);
    return init;
  }

  /** One moof and mdat in one buffer. At least one track must have a sample. */
  fragment(runs: readonly FragmentTrack[]): Uint8Array {
    const first = runs.find(({ samples }) => samples.length > 0)?.samples[0];
    if (!first) throw new RangeError('A live fragment must have samples');
    const signature = runs.map(signatureOf).join();
    const known = this.#built.get(first);
    if (known?.signature === signature) return known.bytes;
    const { slices, size } = fragment({ sequence: ++this.#sequence, tracks: runs });
    this.#builds++;
    const bytes = Buffer.concat(slices, size);
    this.#built.set(first, { signature, bytes });
    return bytes;
  }
}

function signatureOf({ track, samples, endDts }: FragmentTrack): string {
  return `${track.id}:${samples.length}:${samples[0]?.dts}:${endDts}`;
}

/** RFC 6381; the container of an audio-only stream is audio/mp4. */
function mimeTypeOf(tracks: readonly Track[]): string {
  const codecs = tracks.map(({ codecString }) => codecString).join(', ');
  const type = tracks.some(({ kind }) => kind === 'video') ? 'video/mp4' : 'audio/mp4';
  return `${type}; codecs="${codecs}"`;
}
