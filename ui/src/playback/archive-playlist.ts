/** A byte range of one file. */
export interface ByteSpan {
  readonly url: string;
  /** Offset of the first byte. */
  readonly offset: number;
  /** Bytes; undefined for the whole file. */
  readonly length: number | undefined;
}

/** One recorded fragment (a GOP, as a rule) and where its bytes are. */
export interface ArchiveFragment extends ByteSpan {
  /** UTC, ms since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  /** The init segment that the fragment needs. */
  readonly init: ByteSpan;
}

/** A playlist of seven days of one-second GOPs has about 600 000 fragments; a longer one is not ours. */
const FRAGMENTS_LIMIT = 1_000_000;

/**
 * Reads the archive's media playlist (RFC 8216, 4.3): only the tags that our server writes and this player
 * needs: EXTINF, EXT-X-BYTERANGE, EXT-X-MAP and EXT-X-PROGRAM-DATE-TIME. Fragments are in order of time.
 * @param baseUrl absolute; the base of relative URIs
 * @throws SyntaxError for anything that is not such a playlist
 */
export function parseArchivePlaylist(text: string, baseUrl: string): ArchiveFragment[] {
  const lines = text.split(/\r?\n/);
  if (lines[0]?.trim() !== '#EXTM3U') throw new SyntaxError('Not a playlist');
  const fragments: ArchiveFragment[] = [];
  let init: ByteSpan | undefined;
  let clockMs: number | undefined;
  let durationMs: number | undefined;
  let range: { length: number; offset: number | undefined } | undefined;
  for (const raw of lines) {
    const line = raw.trim();
    if (line === '') continue;
    const tag = /^#(EXT[A-Z0-9-]*):?(.*)$/s.exec(line);
    if (tag) {
      const [, name = '', value = ''] = tag;
      switch (name) {
        case 'EXTINF':
          durationMs = positive(Number.parseFloat(value)) * 1000;
          break;
        case 'EXT-X-BYTERANGE':
          range = byteRange(value);
          break;
        case 'EXT-X-PROGRAM-DATE-TIME':
          clockMs = Date.parse(value);
          if (Number.isNaN(clockMs)) throw new SyntaxError('Invalid date');
          break;
        case 'EXT-X-MAP':
          init = mapOf(value, baseUrl);
          break;
        default:
          // RFC 8216, 4.1: clients ignore tags that they don't know.
          break;
      }
      continue;
    }
    if (line.startsWith('#')) continue;
    if (durationMs === undefined || clockMs === undefined || !init) {
      throw new SyntaxError('A fragment without duration, date or init segment');
    }
    if (fragments.length >= FRAGMENTS_LIMIT) throw new SyntaxError('Too many fragments');
    const url = addressOf(line, baseUrl);
    const last = fragments.at(-1);
    const afterLast = last?.url === url && last.length !== undefined ? last.offset + last.length : 0;
    fragments.push({
      url,
      offset: range?.offset ?? (range ? afterLast : 0),
      length: range?.length,
      startMs: clockMs,
      endMs: clockMs + durationMs,
      init,
    });
    // RFC 8216, 4.3.2.6: the date of a segment without its own follows from the durations before it.
    clockMs += durationMs;
    durationMs = undefined;
    range = undefined;
  }
  return fragments;
}

function mapOf(attributes: string, baseUrl: string): ByteSpan {
  const uri = /(?:^|,)URI="([^"]*)"/.exec(attributes)?.[1];
  if (uri === undefined) throw new SyntaxError('An init segment without an address');
  const bytes = /(?:^|,)BYTERANGE="([^"]*)"/.exec(attributes)?.[1];
  const range = bytes === undefined ? undefined : byteRange(bytes);
  return { url: addressOf(uri, baseUrl), offset: range?.offset ?? 0, length: range?.length };
}

function addressOf(uri: string, baseUrl: string): string {
  const url = URL.parse(uri, baseUrl);
  if (!url) throw new SyntaxError('Invalid address');
  return url.href;
}

function byteRange(value: string): { length: number; offset: number | undefined } {
  const match = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(value);
  if (!match) throw new SyntaxError('Invalid byte range');
  return { length: Number(match[1]), offset: match[2] === undefined ? undefined : Number(match[2]) };
}

function positive(value: number): number {
  if (!Number.isFinite(value) || value < 0) throw new SyntaxError('Invalid duration');
  return value;
}

/**
 * The fragment to begin with for a moment: the one that contains it, or else the next one.
 * @returns the index, or `fragments.length` when all end before
 */
export function fragmentIndexAt(fragments: readonly ArchiveFragment[], ms: number): number {
  let low = 0;
  let high = fragments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((fragments[middle]?.endMs ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The fragments from `from` on that one request can fetch: adjacent in one file and with the same init segment.
 * @param most limits of the joined request; it always includes at least one fragment
 */
export function joinable(
  fragments: readonly ArchiveFragment[],
  from: number,
  most: { readonly durationMs: number; readonly bytes: number },
): ArchiveFragment[] {
  const first = fragments[from];
  if (!first) return [];
  const batch = [first];
  let bytes = first.length ?? Infinity;
  for (const fragment of fragments.slice(from + 1, from + 200)) {
    const last = batch.at(-1) ?? first;
    bytes += fragment.length ?? Infinity;
    const touches =
      fragment.url === last.url &&
      fragment.init.url === last.init.url &&
      fragment.init.offset === last.init.offset &&
      last.length !== undefined &&
      fragment.offset === last.offset + last.length;
    if (!touches || bytes > most.bytes || fragment.endMs - first.startMs > most.durationMs) break;
    batch.push(fragment);
  }
  return batch;
}
