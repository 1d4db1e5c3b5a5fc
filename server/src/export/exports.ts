import { createReadStream } from 'node:fs';
import { rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Export, ExportFailure } from '@vidette/contract/entities';
import type { Cancel } from '../base/clock.ts';
import { makeFolders } from '../base/durable.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import {
  cancelledStatus,
  type ExportedDigest,
  type ExportedPart,
  type ExportedStream,
  type ExportRecord,
} from '../store/exports.ts';
import { DigestJob, type DigestJobTools } from './digest-job.ts';
import { ExportFault, ExportJob, factsOf, type ExportJobTools, type FileFacts } from './export-job.ts';

/** Read at every use, so that changes take effect immediately. */
export interface ExportLimits {
  readonly keepMs: number;
  /** Total size of all packages, bytes. */
  readonly quotaBytes: number;
  /** Free space to keep on the disk, bytes. */
  readonly minFreeBytes: number;
}

export interface ExportsOptions
  extends Omit<ExportJobTools, 'roomBytes' | 'onProgress'>, Pick<DigestJobTools, 'pool' | 'hasFfmpeg'> {
  readonly log: Log;
  /** Where the packages are stored. */
  readonly folder: string;
  readonly limits: () => ExportLimits;
  /** A package on another node. @throws Fault NotFound, Unavailable while the node is offline */
  readonly elsewhere: (node: string, id: number) => Promise<ReadyPackage>;
  /**
   * A lower bound of the current time, so that a clock set forward deletes nothing; by default the wall clock.
   */
  readonly nowMs?: () => number;
  /** Records a package that is complete. */
  readonly onReady?: (record: ExportRecord, bytes: number) => Promise<void>;
}

/** What a user requests. */
export interface ExportRequest {
  readonly userId: number;
  readonly streams: readonly ExportedStream[];
  readonly startMs: number;
  readonly endMs: number;
  readonly name: string;
}

/** What is being written. */
interface Running {
  readonly id: number;
  readonly abort: AbortController;
  bytes: number;
  /** Of a digest: how much is done, 0 to 1. */
  share: number;
}

/** A finished package. */
export interface ReadyPackage {
  readonly bytes: number;
  /**
   * Bytes from `start` up to and including `end`. @throws Fault Unavailable if they are on a node that is
   * offline
   */
  stream(start: number, end: number): Promise<Readable>;
}

const expiryPeriodMs = 60_000;
/** Changes that another node made to the queue of this one are noticed within this time. */
const lookPeriodMs = 5_000;
const exportsPerPerson = 50;
/** Of a digest, estimated before it is made. */
const digestBytesPerSecond = 400_000;

/**
 * Packages of footage that is too long for one download: a persistent queue, processed one at a time, each
 * finished package kept for a while.
 */
export class Exports {
  readonly #options: ExportsOptions;
  readonly #cancels: readonly Cancel[];
  #running: Running | undefined;
  #pumping: Promise<void> | undefined;
  /** Whether the queue may contain new work. */
  #isDue = false;
  #isClosed = false;

  constructor(options: ExportsOptions) {
    this.#options = options;
    const remove = (removing: Promise<void>) =>
      void removing.catch((error: unknown) =>
        options.log.error({ err: error }, 'Exports could not be deleted'),
      );
    this.#cancels = [
      options.clock.every(expiryPeriodMs, () => remove(this.expire())),
      options.clock.every(lookPeriodMs, () => {
        remove(this.#removeCancelled());
        this.#pump();
      }),
    ];
  }

  /** Resumes work that a stop or a kill interrupted. */
  resume(): void {
    this.#pump();
  }

  /** @throws Fault QuotaReached, TimeRangeIsTooLong, NotFound if nothing is recorded there */
  async add(request: ExportRequest): Promise<Export> {
    const { archive } = this.#options;
    const { streams, startMs, endMs } = request;
    const extents = await Promise.all(streams.map(async ({ uid }) => archive.extent(uid, startMs, endMs)));
    if (extents.every(({ durationMs }) => durationMs === 0)) {
      throw new Fault('NotFound', 'Nothing is recorded there.');
    }
    return this.#queue(
      request,
      extents.reduce((sum, { bytes }) => sum + bytes, 0),
      null,
    );
  }

  /** @throws Fault QuotaReached, Unavailable without FFmpeg */
  async addDigest(request: ExportRequest, digest: ExportedDigest): Promise<Export> {
    if (!this.#options.hasFfmpeg) {
      throw new Fault('Unavailable', 'A digest needs FFmpeg, which is not installed on this server.');
    }
    return this.#queue(request, Math.round((digest.lengthMs / 1000) * digestBytesPerSecond), digest);
  }

  async #queue(
    request: ExportRequest,
    expectedBytes: number,
    digest: ExportedDigest | null,
  ): Promise<Export> {
    const { records, clock, node } = this.#options;
    const { userId, streams, startMs, endMs, name } = request;
    if ((await this.#roomBytes()) < expectedBytes) {
      throw new Fault('QuotaReached', 'Not enough space is left for this export.');
    }
    if ((await records.list(userId, { page: 1, pageSize: 1 })).total >= exportsPerPerson) {
      throw new Fault('QuotaReached', `Each user can keep at most ${exportsPerPerson} exports.`);
    }
    const id = await records.add({
      userId: userId,
      name,
      streams,
      startMs: startMs,
      endMs: endMs,
      status: 'queued',
      failure: null,
      expectedBytes: expectedBytes,
      packageBytes: null,
      createdMs: clock.wallMs(),
      expiresMs: null,
      nodeId: node,
      digest,
    });
    this.#pump();
    return this.view(await this.#get(id));
  }

  /** @throws Fault ActionNotAcceptable unless it has failed */
  async retry(record: ExportRecord): Promise<Export> {
    if (record.status !== 'failed') throw new Fault('ActionNotAcceptable', 'The export has not failed.');
    await this.#options.records.save(record.id, { status: 'queued', failure: null, expiresMs: null });
    this.#pump();
    return this.view(await this.#get(record.id));
  }

  /**
   * Cancels it if it is being written, and deletes its files; those on another node are deleted when that node
   * next polls.
   */
  async remove(record: ExportRecord): Promise<void> {
    if (this.#nodeElsewhere(record) !== undefined) {
      await this.#options.records.save(record.id, { status: cancelledStatus });
      return;
    }
    await this.#options.records.remove(record.id);
    if (this.#running?.id === record.id) {
      this.#running.abort.abort(new Fault('NotFound', 'The export was cancelled.'));
      await this.#pumping;
    }
    await this.#removeFiles(record);
  }

  /**
   * On any node.
   * @throws Fault ActionNotAcceptable while it isn't ready, NotFound if its file is missing, Unavailable while
   * its node is offline
   */
  async package(record: ExportRecord): Promise<ReadyPackage> {
    if (record.status !== 'ready') throw new Fault('ActionNotAcceptable', 'The export is not ready.');
    const node = this.#nodeElsewhere(record);
    return node === undefined ? openFile(this.#path(record)) : this.#options.elsewhere(node, record.id);
  }

  /** A package on this node. @throws Fault NotFound */
  async packageHere(id: number): Promise<ReadyPackage> {
    return openFile(this.#path(await this.#get(id)));
  }

  async view(record: ExportRecord): Promise<Export> {
    const { records, key } = this.#options;
    const rows = await records.files(record.id);
    const files = rows.map(factsOf);
    const running = this.#running?.id === record.id ? this.#running : undefined;
    const bytes =
      record.packageBytes ?? files.reduce((sum, one) => sum + one.bytes, 0) + (running?.bytes ?? 0);
    return {
      id: record.id,
      kind: record.digest ? 'digest' : 'package',
      name: record.name,
      status: record.status as Export['status'],
      failure: record.failure,
      isHeld: this.#isHeld(record),
      startTime: record.startMs,
      endTime: record.endMs,
      streams: record.streams.map((stream, place) => {
        if (record.digest) return { ...stream, ...digestFacts(record.digest, place) };
        const own = files.filter(({ uid }) => uid === stream.uid);
        return {
          ...stream,
          files: own.length,
          bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
          durationMs: own.reduce((sum, { durationMs }) => sum + durationMs, 0),
          gapMs: this.#gapMs(record, stream.uid, own),
        };
      }),
      bytes,
      expectedBytes: record.expectedBytes,
      share: shareOf(record, bytes, running),
      createdAt: record.createdMs,
      expiresAt: record.expiresMs,
      fingerprint: key.fingerprint,
    };
  }

  /** It waits because this node is overloaded. */
  #isHeld(record: ExportRecord): boolean {
    const isUnderWay = record.status === 'queued' || record.status === 'running';
    return isUnderWay && this.#nodeElsewhere(record) === undefined && this.#options.load.defers('exports');
  }

  /** Deletes expired packages. */
  async expire(): Promise<void> {
    const { records, clock, log, node, nowMs } = this.#options;
    for (const record of await records.expired(node, nowMs?.() ?? clock.wallMs())) {
      await this.remove(record);
      log.info({ export: record.id }, 'The files of an expired export were deleted');
    }
    // Their files are on a machine that has left the cluster.
    for (const { id } of await records.orphaned(node, nowMs?.() ?? clock.wallMs())) await records.remove(id);
  }

  /** Stops work; unfinished exports resume at the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel();
    this.#running?.abort.abort(new Fault('Unavailable', 'The server is stopping.'));
    await this.#pumping;
  }

  /** Deletes the files of exports that users removed on other nodes. */
  async #removeCancelled(): Promise<void> {
    const { records, node } = this.#options;
    for (const record of await records.cancelled(node)) await this.remove(record);
  }

  /** The other node that writes and keeps it. */
  #nodeElsewhere({ nodeId: node }: ExportRecord): string | undefined {
    return node === null || node === this.#options.node ? undefined : node;
  }

  #pump(): void {
    this.#isDue = true;
    if (this.#pumping || this.#isClosed) return;
    this.#pumping = this.#work()
      .catch((error: unknown) =>
        this.#options.log.error({ err: error }, 'The export queue cannot be processed'),
      )
      .finally(() => {
        this.#pumping = undefined;
        // Requested during the last check of the queue.
        if (this.#isDue) this.#pump();
      });
  }

  async #work(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      const record = await this.#options.records.next(this.#options.node);
      if (!record) continue;
      await this.#run(record);
      this.#isDue = true;
    }
  }

  async #run(record: ExportRecord): Promise<void> {
    const { records, clock, log, folder, limits } = this.#options;
    const abort = new AbortController();
    const running: Running = { id: record.id, abort, bytes: 0, share: 0 };
    this.#running = running;
    try {
      await makeFolders(folder, 0o700);
      await records.save(record.id, { status: 'running' });
      const tools = {
        ...this.#options,
        roomBytes: () => this.#roomBytes(),
        onProgress: (bytes: number, share = 0) => {
          running.bytes = bytes;
          running.share = share;
        },
      };
      const job = record.digest
        ? new DigestJob(tools, record, record.digest, abort.signal)
        : new ExportJob(tools, record, abort.signal);
      const bytes = await job.run(this.#partPath(record), this.#path(record));
      // First: if the process ends here, the export is made again, and its entry is the same.
      await this.#options.onReady?.(record, bytes);
      const expiresMs = clock.wallMs() + limits().keepMs;
      await records.save(record.id, {
        status: 'ready',
        packageBytes: bytes,
        expiresMs: expiresMs,
        failure: null,
      });
      log.info({ export: record.id, bytes }, 'An export is ready');
    } catch (error) {
      // Cancelled, or deferred to the next start: not a failure.
      if (!abort.signal.aborted) await this.#fail(record, error);
    } finally {
      this.#running = undefined;
    }
  }

  async #fail(record: ExportRecord, error: unknown): Promise<void> {
    const { records, clock, log, limits } = this.#options;
    const failure = failureOf(error);
    log.warn({ export: record.id, err: error }, `An export failed (${failure})`);
    // Footage that its owner may no longer see must not be kept for them either.
    if (failure === 'forbidden') {
      await records.removeFiles(record.id);
      await this.#removeFiles(record);
    }
    const expiresMs = clock.wallMs() + limits().keepMs;
    await records.save(record.id, { status: 'failed', failure, expiresMs: expiresMs });
  }

  /** By quota and disk space, whichever is less. */
  async #roomBytes(): Promise<number> {
    const { records, folder, limits } = this.#options;
    const { quotaBytes, minFreeBytes } = limits();
    await makeFolders(folder, 0o700);
    const { bavail, bsize } = await statfs(folder);
    let used = 0;
    for (const record of await records.all()) {
      used += (await sizeOf(this.#path(record))) + (await sizeOf(this.#partPath(record)));
    }
    return Math.min(quotaBytes - used, bavail * bsize - minFreeBytes);
  }

  /** How much of the requested time is not recorded; while it isn't ready, as far as it has progressed. */
  #gapMs(record: ExportRecord, uid: string, files: readonly FileFacts[]): number {
    const reachMs = record.status === 'ready' ? record.endMs : (files.at(-1)?.untilMs ?? record.startMs);
    const askedMs = reachMs - record.startMs;
    const gotMs = files.reduce((sum, { durationMs }) => sum + durationMs, 0);
    return files.length === 0 && record.status !== 'ready' ? 0 : Math.max(0, askedMs - gotMs);
  }

  async #get(id: number): Promise<ExportRecord> {
    const record = await this.#options.records.byId(id);
    if (!record) throw new Fault('NotFound', 'There is no such export.');
    return record;
  }

  async #removeFiles(record: ExportRecord): Promise<void> {
    await rm(this.#partPath(record), { force: true });
    await rm(this.#path(record), { force: true });
  }

  #path({ id, digest }: ExportRecord): string {
    return join(this.#options.folder, `${id}.${digest ? 'mp4' : 'zip'}`);
  }

  #partPath(record: ExportRecord): string {
    return `${this.#path(record)}.part`;
  }
}

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function failureOf(error: unknown): ExportFailure {
  if (error instanceof ExportFault) return error.failure;
  return fullCodes.has((error as NodeJS.ErrnoException).code ?? '') ? 'disk-full' : 'broken';
}

/** @throws Fault NotFound */
async function openFile(path: string): Promise<ReadyPackage> {
  try {
    const { size } = await stat(path);
    return {
      bytes: size,
      stream: async (start, end) => createReadStream(path, { start, end, highWaterMark: 262_144 }),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Fault('NotFound', 'The package no longer exists.', { cause: error });
  }
}

/** How much of the work is done, 0 to 1. */
function shareOf(record: ExportRecord, bytes: number, running: Running | undefined): number {
  if (record.status === 'ready') return 1;
  if (record.digest) return running?.share ?? 0;
  return record.expectedBytes > 0 ? Math.min(1, bytes / record.expectedBytes) : 0;
}

/** The clips and gaps of one stream in a digest. */
function digestFacts({ parts }: ExportedDigest, place: number) {
  const own = parts.filter(([, stream]) => stream === place);
  const lengthOf = (wanted: ExportedPart[0]) =>
    own.reduce((sum, [type, , fromMs, toMs]) => sum + (type === wanted ? toMs - fromMs : 0), 0);
  const files = own.filter(([type]) => type === 'clip').length;
  return { files, bytes: 0, durationMs: lengthOf('clip'), gapMs: lengthOf('gap') };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
