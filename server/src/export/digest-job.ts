import type { Sample } from '@vidette/media/sample';
import { gapShownMs } from '@vidette/contract/digest-plan';
import { Fault } from '../base/fault.ts';
import { digestTimescale } from '../ffmpeg/digest-layout.ts';
import type { FfmpegPool } from '../ffmpeg/pool.ts';
import type { DigestRequest } from '../ffmpeg/protocol.ts';
import type { ExportedDigest, ExportedPart, ExportRecord } from '../store/exports.ts';
import { clipGops, type ClipGop } from './clip-gops.ts';
import { DigestFile } from './digest-file.ts';
import { gapWords, unreadableWords } from './digest-words.ts';
import { ExportFault, requireRight, type ExportJobTools } from './export-job.ts';
import { PartRendering } from './part-rendering.ts';

export interface DigestJobTools extends Pick<
  ExportJobTools,
  'archive' | 'records' | 'clock' | 'load' | 'refusal' | 'roomBytes' | 'onProgress'
> {
  readonly pool: Pick<FfmpegPool, 'open'>;
  readonly hasFfmpeg: boolean;
}

/** How long is said that a clip can't be shown, ms. */
const unreadableShownMs = 2_000;
/** If key frames alone are this many a second, no others are decoded. */
const keyFramesPerSecond = 8;
/** What is written at least before room is looked for again. */
const roomBytesMin = 4 * 1024 * 1024;

/** Writes the parts of a digest one after the other into one file. After a stop it begins again: it takes minutes. */
export class DigestJob {
  readonly #tools: DigestJobTools;
  readonly #record: ExportRecord;
  readonly #digest: ExportedDigest;
  readonly #signal: AbortSignal;

  constructor(tools: DigestJobTools, record: ExportRecord, digest: ExportedDigest, signal: AbortSignal) {
    this.#tools = tools;
    this.#record = record;
    this.#digest = digest;
    this.#signal = signal;
  }

  /**
   * @returns the length of the file
   * @throws ExportFault, the signal's reason, what archive and disk throw
   */
  async run(partPath: string, finalPath: string): Promise<number> {
    if (!this.#tools.hasFfmpeg) throw new ExportFault('no-ffmpeg', 'A digest needs FFmpeg.');
    const file = await DigestFile.create(partPath);
    let isFinished = false;
    try {
      let frames = 0;
      for (const [place, part] of this.#digest.parts.entries()) {
        frames += await this.#part(file, part);
        this.#tools.onProgress(file.bytes, (place + 1) / this.#digest.parts.length);
      }
      const hasClips = this.#digest.parts.some(([type]) => type === 'clip');
      if (frames === 0 && hasClips)
        throw new ExportFault('nothing-recorded', 'None of the footage can be shown.');
      // A right may have been revoked while the last part was written.
      for (const { uid } of this.#record.streams) await requireRight(this.#tools, this.#record, uid);
      const bytes = await file.finish(finalPath);
      isFinished = true;
      return bytes;
    } finally {
      if (!isFinished) await file.close();
    }
  }

  /** Resolves to the number of frames, of which a gap has none. */
  async #part(file: DigestFile, [type, stream, fromMs, toMs]: ExportedPart): Promise<number> {
    const { uid = '', name = '' } = this.#record.streams[stream] ?? {};
    await requireRight(this.#tools, this.#record, uid);
    const { speed, timeZone, language } = this.#digest;
    const request = { kind: 'digest', ...{ fromMs, toMs, speed, name, timeZone, language } } as const;
    if (type === 'gap') {
      await this.#still(file, {
        ...request,
        stillMs: gapShownMs,
        words: gapWords(fromMs, toMs, this.#digest),
      });
      return 0;
    }
    const frames = await this.#clip(file, uid, { ...request, stillMs: 0, words: '' });
    if (frames > 0) return frames;
    const words = unreadableWords(this.#digest);
    await this.#still(file, { ...request, stillMs: unreadableShownMs, words });
    return 0;
  }

  async #still(file: DigestFile, request: Omit<DigestRequest, 'video'>): Promise<void> {
    const part = this.#open(file, { ...request, video: undefined });
    await part.rendering.finish();
    file.endPart(request.stillMs);
    await this.#write(file);
  }

  /** The number of frames in the file. Footage with other parameters, for example of another size, gets another decoder. */
  async #clip(file: DigestFile, uid: string, request: Omit<DigestRequest, 'video'>): Promise<number> {
    let frames = 0;
    let open: { readonly video: string; readonly part: OpenPart } | undefined;
    const end = async () => {
      if (!open) return;
      const { part } = open;
      open = undefined;
      frames += await this.#ended(file, request, part);
    };
    try {
      for await (const gop of clipGops(this.#tools.archive, uid, request.fromMs, request.toMs)) {
        await this.#tools.load.whenFree('exports', this.#signal);
        const config = Buffer.from(gop.track.config).toString('base64');
        const video = `${gop.track.codec} ${config}`;
        if (open && open.video !== video) await end();
        open ??= { video, part: this.#open(file, { ...request, video: { codec: gop.track.codec, config } }) };
        open.part.startMs = Math.min(open.part.startMs, Math.max(request.fromMs, gop.startMs));
        open.part.endMs = Math.min(request.toMs, gop.endMs);
        await this.#feed(open.part, gop, request);
        await this.#write(file);
      }
      await end();
    } finally {
      open?.part.rendering.close();
    }
    return frames;
  }

  /** A camera whose video can't be decoded costs its own clip only. */
  async #feed(
    part: OpenPart,
    { track, samples, startMs, endMs }: ClipGop,
    { speed, toMs }: Omit<DigestRequest, 'video'>,
  ): Promise<void> {
    const ticks = (time: number) => (time * digestTimescale) / track.timescale;
    const isKeyEnough = (speed * 1000) / (endMs - startMs) >= keyFramesPerSecond;
    for (const sample of isKeyEnough ? samples.slice(0, 1) : samples) {
      if ((ticks(sample.dts) * 1000) / digestTimescale >= toMs) break;
      if (part.failure) return;
      try {
        await part.rendering.feed(sample, ticks(sample.pts));
      } catch (error) {
        this.#requireFault(error);
        part.failure = error;
      }
    }
  }

  async #ended(file: DigestFile, request: Omit<DigestRequest, 'video'>, part: OpenPart): Promise<number> {
    try {
      if (part.failure) part.rendering.close();
      else await part.rendering.finish();
    } catch (error) {
      this.#requireFault(error);
    }
    if (part.frames > 0) file.endPart(Math.max(0, part.endMs - part.startMs) / request.speed);
    await this.#write(file);
    return part.frames;
  }

  /** @throws the error unless it is about the video or its process; the signal's reason */
  #requireFault(error: unknown): asserts error is Fault {
    this.#signal.throwIfAborted();
    if (!(error instanceof Fault)) throw error;
  }

  #open(file: DigestFile, request: DigestRequest): OpenPart {
    const { pool, clock } = this.#tools;
    const part: Omit<OpenPart, 'rendering'> = {
      ...{ frames: 0, failure: undefined },
      ...{ startMs: Number.POSITIVE_INFINITY, endMs: Number.NEGATIVE_INFINITY },
    };
    const rendering = new PartRendering({
      ...{ pool, clock, request, signal: this.#signal },
      onTrack: (track) => file.begin(track),
      onFrame: (frame: Omit<Sample, 'trackId'>) => {
        part.frames++;
        file.add(frame);
      },
    });
    return Object.assign(part, { rendering });
  }

  async #write(file: DigestFile): Promise<void> {
    this.#signal.throwIfAborted();
    if (
      file.pendingBytes > 0 &&
      (await this.#tools.roomBytes()) < Math.max(roomBytesMin, file.pendingBytes)
    ) {
      throw new ExportFault('disk-full', 'Not enough space is left for exports.');
    }
    await file.write();
  }
}

/** A part that is being rendered. */
interface OpenPart {
  readonly rendering: PartRendering;
  frames: number;
  /** What of the footage has been sent, ms since the epoch. */
  startMs: number;
  endMs: number;
  /** It can't go on. */
  failure: Fault | undefined;
}
