import type { z } from 'zod';
import { calls, type Calls } from '@vidette/contract/calls';
import type { MessageLanguage } from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import type { Clock } from '../base/clock.ts';
import type { NodeRpc } from '../rpc/node-rpc.ts';
import { believed } from '../rpc/peer-answers.ts';
import type { Live } from '../live/live.ts';
import type { Snapshot, Snapshots } from '../engine/snapshots.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { failureReasonOf } from './stream-view.ts';

export type StreamStats = z.input<Calls['getStreamStats']['reply']>;
export type StreamLines = z.input<Calls['getStreamLogs']['reply']>;

/** Data about a stream that only the node running it has. */
export interface StreamInsight {
  /** @throws Fault Unavailable */
  stats(uid: string, language: MessageLanguage): Promise<StreamStats>;
  /** Lines with an id greater than `after`. */
  logs(uid: string, after: number): Promise<StreamLines>;
  /** @throws Fault Unavailable when there is none yet */
  snapshot(uid: string, width: number): Promise<Snapshot>;
}

export interface LocalInsightOptions {
  readonly streamManager: StreamManager;
  readonly statistics: Statistics;
  readonly snapshots: Snapshots;
  readonly live: Live;
  readonly clock: Clock;
}

/** Of streams that this node runs. */
export class LocalInsight implements StreamInsight {
  readonly #options: LocalInsightOptions;

  constructor(options: LocalInsightOptions) {
    this.#options = options;
  }

  async stats(uid: string, language: MessageLanguage): Promise<StreamStats> {
    const { streamManager, statistics, live, clock } = this.#options;
    const running = streamManager.get(uid);
    const { reconnects, outages, histories } = statistics.ofStream(uid);
    const { counters, sinceMs, attempts, nextAttemptMs } = running.report;
    const { tracks } = await running.details();
    return {
      status: running.state.status,
      statusSince: sinceMs ?? clock.wallMs(),
      attempts,
      nextAttempt: nextAttemptMs ?? null,
      bytes: counters.bytes,
      videoFrames: counters.videoSamples,
      keyFrames: counters.keySamples,
      damagedFrames: counters.damagedSamples,
      lostPackets: counters.lostPackets,
      viewers: live.audience(running.stream).viewers,
      reconnects,
      outages: outages.map(({ startMs, endMs, state }) => ({
        startTime: startMs,
        endTime: endMs,
        status: state.status,
        reason: failureReasonOf(state, language),
      })),
      histories,
      tracks: tracks.map((track) => ({
        kind: track.kind,
        codecString: track.codecString,
        description:
          track.kind === 'video'
            ? `${track.width}x${track.height}`
            : `${track.sampleRate} Hz, ${track.channels}`,
      })),
    };
  }

  async logs(uid: string, after: number): Promise<StreamLines> {
    const running = this.#options.streamManager.find(uid);
    const lines = (await running?.details())?.lines ?? [];
    return {
      items: lines
        .filter((line) => line.id > after)
        .map(({ timeMs, ...line }) => ({ ...line, time: timeMs })),
    };
  }

  snapshot(uid: string, width: number): Promise<Snapshot> {
    const { snapshots, streamManager } = this.#options;
    return snapshots.newest(streamManager.get(uid), width);
  }
}

/** Maximum size of a still of any width, bytes. */
const snapshotMaxBytes = 16 * 1024 * 1024;

export interface ClusterInsightOptions {
  readonly local: LocalInsight;
  readonly rpc: Pick<NodeRpc, 'askBytes' | 'askJson'>;
  /** The other node that runs a stream; undefined when this one does, or none. */
  readonly nodeOf: (uid: string) => string | undefined;
}

/** For all streams: the node that runs a stream answers. */
export class ClusterInsight implements StreamInsight {
  readonly #options: ClusterInsightOptions;

  constructor(options: ClusterInsightOptions) {
    this.#options = options;
  }

  async stats(uid: string, language: MessageLanguage): Promise<StreamStats> {
    const node = this.#options.nodeOf(uid);
    if (node === undefined) return this.#options.local.stats(uid, language);
    const path = `stream/${uid}/stats?language=${language}`;
    return believed(calls.getStreamStats.reply, await this.#options.rpc.askJson(node, { path }), node);
  }

  async logs(uid: string, after: number): Promise<StreamLines> {
    const node = this.#options.nodeOf(uid);
    if (node === undefined) return this.#options.local.logs(uid, after);
    const path = `stream/${uid}/logs?after=${after}`;
    return believed(calls.getStreamLogs.reply, await this.#options.rpc.askJson(node, { path }), node);
  }

  async snapshot(uid: string, width: number): Promise<Snapshot> {
    const { local, rpc } = this.#options;
    const node = this.#options.nodeOf(uid);
    if (node === undefined) return local.snapshot(uid, width);
    const { bytes: jpeg, headers } = await rpc.askBytes(node, {
      path: `stream/${uid}/picture?width=${width}`,
      kind: 'picture',
      body: { maxBytes: snapshotMaxBytes },
    });
    const timeMs = Number(headers['x-picture-time']);
    if (!Number.isSafeInteger(timeMs) || !isJpeg(jpeg)) {
      throw new Fault('Unavailable', `The node ${node} did not return an image.`);
    }
    return { jpeg, timeMs };
  }
}

/** Recognised by its first marker. */
function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8;
}
