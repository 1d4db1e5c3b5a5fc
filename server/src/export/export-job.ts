import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ErrorCode } from '@vidette/contract/errors';
import type { ExportFailure } from '@vidette/contract/entities';
import type { Download, ArchiveReader, RecordingGap } from '../archive/read/read.ts';
import { delay, type Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { LoadLevel } from '../base/load-level.ts';
import type { ExportedStream, ExportFileRecord, ExportRecord, ExportRecords } from '../store/exports.ts';
import {
  blockBytes,
  checkPageFile,
  checkPageName,
  manifestName,
  signatureName,
  type Manifest,
} from './manifest.ts';
import { PackageFile, type PackedEntry } from './package-file.ts';
import type { SigningKey } from './signing-key.ts';

/** What the store keeps about a finished file. */
export interface FileFacts extends PackedEntry {
  readonly uid: string;
  /** The time range that the file covers, ms since the epoch; it may be longer than the footage in it. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly durationMs: number;
  readonly gaps: readonly RecordingGap[];
}

/** Only `ExportJob` writes them. */
export function factsOf({ facts }: ExportFileRecord): FileFacts {
  return facts as FileFacts;
}

/** Why an export ended without a package. */
export class ExportFault extends Error {
  override readonly name = 'ExportFault';
  readonly failure: ExportFailure;

  constructor(failure: ExportFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

export interface ExportJobTools {
  readonly archive: ArchiveReader;
  readonly records: ExportRecords;
  readonly clock: Clock;
  readonly load: Pick<LoadLevel, 'defers' | 'whenFree'>;
  readonly key: SigningKey;
  readonly version: string;
  readonly node: string;
  /** Why the user may not read this stream's archive now; undefined if they may. */
  refusal(userId: number, uid: string): Promise<ErrorCode | undefined>;
  loginOf(userId: number): Promise<string>;
  /** Bytes that may still be written, by quota and disk. */
  roomBytes(): Promise<number>;
  /** Bytes of the current file that have been written, and of a digest how much is done, 0 to 1; for progress. */
  onProgress(bytes: number, share?: number): void;
}

/** Upper limit in bytes per second, so that recording keeps the disk and the CPU. */
const paceBytesPerSecond = 48 * 1024 * 1024;
/** How often reading is planned again after retention deleted footage during the read. */
const attemptsPerFile = 3;
const rangesPieceMs = 3 * 3_600_000;

/** Writes one package. Files that an earlier run finished are kept. */
export class ExportJob {
  readonly #tools: ExportJobTools;
  readonly #record: ExportRecord;
  readonly #streams: readonly ExportedStream[];
  readonly #signal: AbortSignal;
  #files: FileFacts[] = [];

  constructor(tools: ExportJobTools, record: ExportRecord, signal: AbortSignal) {
    this.#tools = tools;
    this.#record = record;
    this.#streams = record.streams;
    this.#signal = signal;
  }

  /**
   * @returns the length of the package
   * @throws ExportFault, the signal's reason, what archive and disk throw
   */
  async run(partPath: string, finalPath: string): Promise<number> {
    const file = await this.#open(partPath);
    let isFinished = false;
    try {
      for (const stream of this.#streams) await this.#pack(file, stream);
      if (this.#files.length === 0) throw new ExportFault('nothing-recorded', 'Nothing is recorded there.');
      await this.#seal(file);
      const bytes = await file.finish(finalPath);
      isFinished = true;
      return bytes;
    } finally {
      if (!isFinished) await file.close();
    }
  }

  /** Resumes with the files that an earlier run finished; starts over if the package file is missing. */
  async #open(path: string): Promise<PackageFile> {
    const { records } = this.#tools;
    const rows = await records.files(this.#record.id);
    this.#files = rows.map(factsOf);
    const file = await PackageFile.open(path, this.#files);
    if (file) return file;
    await records.removeFiles(this.#record.id);
    this.#files = [];
    return this.#open(path);
  }

  async #pack(file: PackageFile, stream: ExportedStream): Promise<void> {
    const { archive } = this.#tools;
    const { endMs, startMs } = this.#record;
    let atMs = this.#files.findLast(({ uid }) => uid === stream.uid)?.untilMs ?? startMs;
    while (atMs < endMs) {
      await this.#tools.load.whenFree('exports', this.#signal);
      this.#signal.throwIfAborted();
      await this.#requireRight(stream);
      const limitMs = atMs + archive.downloadMaxMs;
      const untilMs = limitMs >= endMs ? endMs : await archive.splitPoint(stream.uid, atMs, limitMs);
      atMs = await this.#packSpan(file, stream, atMs, untilMs);
    }
  }

  /** Resolves to the time from which the rest is to be written. */
  async #packSpan(
    file: PackageFile,
    stream: ExportedStream,
    fromMs: number,
    untilMs: number,
  ): Promise<number> {
    const { archive } = this.#tools;
    let leftMs = Number.POSITIVE_INFINITY;
    for (let attempt = 1; ; attempt++) {
      try {
        const download = await archive.download(stream.uid, fromMs, untilMs);
        const reachMs = download.stopsAtChange && download.endMs > fromMs ? download.endMs : untilMs;
        await this.#write(file, stream, download, fromMs, Math.min(reachMs, untilMs));
        return Math.min(reachMs, untilMs);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'NotFound') throw error;
        // Nothing is recorded there, or retention deleted it during the read, or it cannot be read: less
        // footage is left now.
        const { durationMs } = await archive.extent(stream.uid, fromMs, untilMs);
        if (durationMs < leftMs) attempt = 1;
        leftMs = durationMs;
        if (durationMs === 0 || attempt === attemptsPerFile) return untilMs;
      }
    }
  }

  async #write(
    file: PackageFile,
    stream: ExportedStream,
    download: Download,
    fromMs: number,
    untilMs: number,
  ): Promise<void> {
    const { clock, records, archive, load } = this.#tools;
    if ((await this.#tools.roomBytes()) < download.contentLength) {
      throw new ExportFault('disk-full', 'Not enough space is left for exports.');
    }
    const { gaps } = await archive.extent(stream.uid, fromMs, untilMs);
    let startedMs = clock.monotonicMs();
    let written = 0;
    const onBytes = async (count: number): Promise<void> => {
      this.#signal.throwIfAborted();
      written += count;
      this.#tools.onProgress(written);
      if (load.defers('exports')) {
        const fromMs = clock.monotonicMs();
        await load.whenFree('exports', this.#signal);
        // The pause is not made up for.
        startedMs += clock.monotonicMs() - fromMs;
      }
      const aheadMs = (written / paceBytesPerSecond) * 1000 - (clock.monotonicMs() - startedMs);
      if (aheadMs > 20) await delay(clock, aheadMs, this.#signal);
    };
    const name = this.#nameOf(stream, download.startMs);
    const entry = await file.add(name, download.contentLength, download.startMs, download.stream(), onBytes);
    const facts: FileFacts = {
      ...entry,
      uid: stream.uid,
      fromMs,
      untilMs,
      startMs: download.startMs,
      endMs: download.endMs,
      durationMs: download.durationMs,
      gaps,
    };
    await records.addFile({
      exportId: this.#record.id,
      position: this.#files.length,
      facts,
    });
    this.#files.push(facts);
    this.#tools.onProgress(0);
  }

  /** Manifest, its signature, and the page that verifies both. */
  async #seal(file: PackageFile): Promise<void> {
    const { key, clock } = this.#tools;
    const nowMs = clock.wallMs();
    // The right may have been revoked while the last file was written.
    for (const stream of this.#streams) await this.#requireRight(stream);
    const page = await readFile(checkPageFile);
    const manifest = Buffer.from(`${JSON.stringify(await this.#manifest(nowMs, page), undefined, 1)}\n`);
    const signature = Buffer.from(`${key.sign(manifest).toString('base64')}\n`);
    await file.add(manifestName, manifest.length, nowMs, [manifest]);
    await file.add(signatureName, signature.length, nowMs, [signature]);
    await file.add(checkPageName, page.length, nowMs, [page]);
  }

  async #manifest(nowMs: number, page: Uint8Array): Promise<Manifest> {
    const { key, version, node } = this.#tools;
    const { startMs: startTime, endMs: endTime, userId, name } = this.#record;
    const uncovered = new Map<string, RecordingGap[]>();
    for (const stream of this.#streams) {
      const files = this.#files.filter(({ uid }) => uid === stream.uid);
      uncovered.set(stream.uid, await this.#uncovered(stream, files));
    }
    return {
      format: 'vidette-export/1',
      checkPage: { bytes: page.length, sha256: createHash('sha256').update(page).digest('hex') },
      version,
      node,
      createdTime: nowMs,
      createdBy: await this.#tools.loginOf(userId),
      name,
      asked: { startTime, endTime },
      blockBytes,
      publicKey: key.publicBytes.toString('base64'),
      streams: this.#streams.map((stream) => {
        const files = this.#files.filter(({ uid }) => uid === stream.uid);
        return {
          ...stream,
          files: files.map(({ name: path, bytes, sha256, blocks, startMs, endMs, durationMs }) => ({
            name: path,
            bytes,
            sha256,
            blocks: [...blocks],
            startTime: startMs,
            endTime: endMs,
            durationMs,
          })),
          gaps: joined([...files.flatMap(({ gaps }) => gaps), ...(uncovered.get(stream.uid) ?? [])]),
        };
      }),
    };
  }

  /** Gaps in the ranges that no file covers. */
  async #uncovered(stream: ExportedStream, files: readonly FileFacts[]): Promise<RecordingGap[]> {
    const gaps: RecordingGap[] = [];
    let atMs = this.#record.startMs;
    const spans = [...files.map(({ fromMs, untilMs }) => ({ fromMs, untilMs }))];
    spans.push({ fromMs: this.#record.endMs, untilMs: this.#record.endMs });
    for (const { fromMs, untilMs } of spans) {
      for (; atMs < fromMs; atMs = Math.min(fromMs, atMs + rangesPieceMs)) {
        const { gaps: found } = await this.#tools.archive.extent(
          stream.uid,
          atMs,
          Math.min(fromMs, atMs + rangesPieceMs),
        );
        gaps.push(...found);
      }
      atMs = untilMs;
    }
    return gaps;
  }

  #requireRight({ uid }: ExportedStream): Promise<void> {
    return requireRight(this.#tools, this.#record, uid);
  }

  /** `Gate/2026-11-21 10-00-00Z.mp4`; streams with the same name get their uid appended. */
  #nameOf({ uid, name }: ExportedStream, startMs: number): string {
    const safe = safeName(name);
    const isAlone = this.#streams.filter((other) => safeName(other.name) === safe).length === 1;
    const folder = safe === '' ? uid : isAlone ? safe : `${safe} ${uid}`;
    const time = new Date(startMs).toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '-');
    const path = `${folder}/${time}Z`;
    const taken = this.#files.filter((file) => file.name.startsWith(path)).length;
    return taken === 0 ? `${path}.mp4` : `${path} ${taken + 1}.mp4`;
  }
}

/** @throws ExportFault forbidden */
export async function requireRight(
  { refusal }: Pick<ExportJobTools, 'refusal'>,
  { userId }: ExportRecord,
  uid: string,
): Promise<void> {
  const code = await refusal(userId, uid);
  if (code !== undefined) throw new ExportFault('forbidden', `The right to ${uid} was withdrawn (${code}).`);
}

/** Without characters that some file systems reject, and within the length limit. */
function safeName(name: string): string {
  const safe = name
    .slice(0, 60)
    .replace(/[\\/:*?"<>|\p{Cc}]/gu, '_')
    .toWellFormed()
    .trim();
  let [start, end] = [0, safe.length];
  while (safe[start] === '.') start++;
  while (end > start && (safe[end - 1] === '.' || safe[end - 1] === ' ')) end--;
  return safe.slice(start, end);
}

/** In order; adjacent gaps with the same cause are merged. */
function joined(gaps: readonly RecordingGap[]): RecordingGap[] {
  const result: RecordingGap[] = [];
  for (const gap of [...gaps].sort((a, b) => a.startTime - b.startTime)) {
    const last = result.at(-1);
    if (last && last.cause === gap.cause && gap.startTime - last.endTime <= 1) {
      result[result.length - 1] = { ...last, endTime: gap.endTime };
    } else result.push(gap);
  }
  return result;
}
