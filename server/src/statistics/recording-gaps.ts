import type { Archive } from '../archive/archive.ts';
import type { ArchiveReader } from '../archive/read/read.ts';
import type { Config } from '../config/schema.ts';
import type { ManagedStream } from '../engine/managed-stream.ts';
import type { StreamManager } from '../engine/stream-manager.ts';

/** The streams that a viewer may see, by uid; undefined: all of them. */
export type ViewableUids = ReadonlySet<string> | undefined;

/** A stream that should be recorded and is not, and since when, ms since the epoch; undefined if not known. */
export interface NotRecorded {
  readonly uid: string;
  readonly sinceMs: number | undefined;
}

/** A stream, and the recorded share of its last 24 hours, 0 to 1. */
export interface RecordedLittle {
  readonly uid: string;
  readonly share: number;
}

/** Maximum number of streams in one warning; more don't add information. */
const namedStreams = 20;

export interface RecordingGapsOptions {
  readonly streamManager: Pick<StreamManager, 'streams'>;
  /** Of this node. */
  readonly archive: Pick<Archive, 'continuity'>;
  /** Of all nodes. */
  readonly archiveReader: Pick<ArchiveReader, 'stats'>;
  /** Read at every use: changes take effect immediately. */
  readonly config: Pick<Config, 'archive'>;
}

/** Finds streams of this node that are not recorded as they should be. */
export class RecordingGaps {
  readonly #options: RecordingGapsOptions;

  constructor(options: RecordingGapsOptions) {
    this.#options = options;
  }

  /** Streams that should be recorded now and are not, at most 20. */
  notRecording(viewable: ViewableUids): NotRecorded[] {
    const idle: NotRecorded[] = [];
    for (const running of this.#options.streamManager.streams()) {
      if (idle.length >= namedStreams) break;
      const { settings, state, report } = running;
      const { uid } = settings;
      if (!isNotRecording(running) || !maySee(viewable, uid)) continue;
      // A source that delivers while its frames can't be written doesn't tell when that began.
      idle.push({ uid, sinceMs: state.status === 'failed' ? report.sinceMs : undefined });
    }
    return idle;
  }

  /** Streams of which too little was recorded in the last 24 hours, by all nodes together; at most 20. */
  async recordedLow(viewable: ViewableUids): Promise<RecordedLittle[]> {
    const { archive, archiveReader, config } = this.#options;
    const warnShare = config.archive.warnRecordedPercent / 100;
    const low = archive.continuity
      .below(warnShare)
      .filter(({ uid }) => maySee(viewable, uid))
      .slice(0, namedStreams);
    // Footage missing here may be recorded on another node.
    const everywhere = await Promise.all(
      low.map(async ({ uid, share }) => {
        const { recorded } = await archiveReader.stats(uid);
        return { uid, share: recorded?.day.share ?? share };
      }),
    );
    return everywhere.filter(({ share }) => share < warnShare);
  }
}

function maySee(viewable: ViewableUids, uid: string): boolean {
  return viewable === undefined || viewable.has(uid);
}

/**
 * Whether a stream that should be recorded is not: its source is unavailable, or its frames can't be written.
 */
function isNotRecording({ settings, state, report }: ManagedStream): boolean {
  if (!settings.isRecorded || settings.isPaused) return false;
  return state.status === 'failed' || report.recorder?.state === 'failed';
}
