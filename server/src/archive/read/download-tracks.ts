import { parameterSetsOf, type TrackLayout } from '@vidette/media/fmp4/fragment-layout';
import { parseInit } from '@vidette/media/fmp4/read-init';
import { primaryTrack, type Track } from '@vidette/media/track';

/** The tracks of a segment, and the download track each maps to. */
export interface SegmentTracks {
  readonly tracks: readonly Track[];
  /** The primary track: video, or the first track of a stream without video. */
  readonly primary: Track;
  /**
   * By track id of the segment: for fragments that begin with a key frame, and for those that continue a GOP.
   */
  readonly atKey: ReadonlyMap<number, TrackLayout>;
  readonly withinGop: ReadonlyMap<number, TrackLayout>;
}

/** As many as `parseInit` can read, far more than a camera has. */
const mostDescriptions = 64;
const mostTracks = 16;
const noSets = new Uint8Array();

/** Target of one track of a segment: the track of the download and its sample description index, from 1. */
interface FragmentPosition {
  readonly from: Track;
  readonly trackId: number;
  readonly descriptionIndex: number;
}

interface Segment {
  readonly tracks: readonly Track[];
  readonly primary: Track;
  readonly places: readonly FragmentPosition[];
}

/**
 * The tracks of a download made of segments with different parameters. The primary track is a single one, with
 * a sample description for each configuration; audio has a track for each configuration. Why not a single audio
 * track: FFmpeg, and software built on it, ignores which sample description a fragment uses. Video still works,
 * because it can carry its parameter sets in band; AAC and Opus cannot, and would be decoded wrongly.
 */
export class DownloadTracks {
  readonly #segments = new Map<number, Segment>();
  /** Those of the primary track; identical except for the configuration. */
  readonly #descriptions: Track[] = [];
  /** With the ids of the download. */
  readonly #others: Track[] = [];

  /**
   * Adds the tracks of another init, in the order of the download.
   * @returns false if they can't continue in the same file: the video changes its codec, appears or disappears;
   * the audio of a stream without video changes; or there are too many configurations
   */
  add(initId: number, readInit: () => Uint8Array): boolean {
    if (this.#segments.has(initId)) return true;
    const tracks = parseInit(readInit());
    const primary = primaryTrack(tracks);
    const before = [this.#descriptions.length, this.#others.length] as const;
    const places = primary && this.#placesOf(primary, tracks);
    if (!primary || !places) {
      [this.#descriptions.length, this.#others.length] = before;
      return false;
    }
    this.#segments.set(initId, { tracks, primary, places });
    return true;
  }

  /** The tracks that the file declares: the primary track once per configuration, then the others. */
  get tracks(): readonly Track[] {
    return [...this.#descriptions, ...this.#others];
  }

  /** The mapping of each init's tracks, after all are added. By init id. */
  segments(): ReadonlyMap<number, SegmentTracks> {
    const carriesSets = this.#descriptions.length > 1;
    return new Map(
      [...this.#segments].map(([initId, { tracks, primary, places }]) => {
        const layouts = (setsOf: (track: Track) => Uint8Array): Map<number, TrackLayout> =>
          new Map(
            places.map(({ from, trackId, descriptionIndex }) => [
              from.id,
              { trackId, descriptionIndex, parameterSets: setsOf(from) },
            ]),
          );
        const atKey = layouts((track) =>
          carriesSets && track.kind === 'video' && track === primary ? parameterSetsOf(track) : noSets,
        );
        return [initId, { tracks, primary, atKey, withinGop: layouts(() => noSets) }];
      }),
    );
  }

  #placesOf(primary: Track, tracks: readonly Track[]): FragmentPosition[] | undefined {
    const descriptionIndex = this.#descriptionOf(primary);
    if (descriptionIndex === undefined) return undefined;
    const trackId = this.#descriptions[0]?.id ?? primary.id;
    const places: FragmentPosition[] = [{ from: primary, trackId, descriptionIndex }];
    for (const from of tracks) {
      if (from === primary) continue;
      const otherId = this.#otherOf(from, places);
      if (otherId === undefined) return undefined;
      places.push({ from, trackId: otherId, descriptionIndex: 1 });
    }
    return places;
  }

  /**
   * The index of the sample description that a primary track needs, from 1; undefined if the track can't be
   * part of this download.
   */
  #descriptionOf(primary: Track): number | undefined {
    const known = this.#descriptions.findIndex((track) => isSame(track, primary));
    if (known >= 0) return known + 1;
    const [first] = this.#descriptions;
    if (first) {
      const goesOn =
        primary.kind === 'video' && primary.codec === first.codec && primary.timescale === first.timescale;
      if (!goesOn || this.#descriptions.length === mostDescriptions) return undefined;
    }
    this.#descriptions.push({ ...primary, id: first?.id ?? primary.id });
    return this.#descriptions.length;
  }

  /** The download track for another track of a segment; undefined if there are too many. */
  #otherOf(from: Track, places: readonly FragmentPosition[]): number | undefined {
    const isTaken = (id: number): boolean => places.some(({ trackId }) => trackId === id);
    const known = this.#others.find((track) => isSame(track, from) && !isTaken(track.id));
    if (known) return known.id;
    if (this.#others.length === mostTracks - 1) return undefined;
    const ids = new Set([this.#descriptions[0]?.id, ...this.#others.map(({ id }) => id)]);
    let id = from.id;
    for (let next = 1; ids.has(id); next++) id = next;
    this.#others.push({ ...from, id });
    return id;
  }
}

function isSame(a: Track, b: Track): boolean {
  return a.codec === b.codec && a.timescale === b.timescale && Buffer.compare(a.config, b.config) === 0;
}
