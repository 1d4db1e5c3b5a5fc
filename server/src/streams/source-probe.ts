import type { Track } from '@vidette/media/track';
import type { z } from 'zod';
import { calls, type Calls } from '@vidette/contract/calls';
import { Fault } from '../base/fault.ts';
import { addressWithCredentials, type SourceAddress } from '../dial/address.ts';
import type { NodeRpc } from '../rpc/node-rpc.ts';
import { believed } from '../rpc/peer-answers.ts';

/** What a source delivers, as shown to users. */
export type SourceReport = z.input<Calls['probeStream']['reply']>;

interface ProbedSource {
  readonly tracks: readonly Track[];
  readonly transport: string;
}

interface SourceProberOptions {
  readonly allowLoopback: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Probes sources that are not streams yet. Rejects with a Fault of one of the probe codes. */
interface Prober {
  probe(address: SourceAddress, options: SourceProberOptions): Promise<ProbedSource>;
  /** The first key frame as a JPEG. */
  preview(address: SourceAddress, options: SourceProberOptions & { maxWidth: number }): Promise<Uint8Array>;
}

export interface ProbeTarget {
  readonly address: SourceAddress;
  readonly allowLoopback: boolean;
  readonly signal: AbortSignal;
}

/** The request as sent to another node: the address with its credentials. */
interface SourceQuestion {
  readonly address: string;
  readonly allowLoopback: boolean;
}

/** Path of the call between nodes. */
export const sourceReportPath = 'source/report';
export const sourceSnapshotPath = 'source/picture';

const previewWidth = 640;
/** Network round trip, in addition to the probe itself. */
const wayMs = 5_000;

export interface SourceProbeOptions {
  readonly prober: Prober;
  readonly rpc: Pick<NodeRpc, 'askBytes' | 'askJson'>;
  /** Time limit of a probe. */
  readonly timeoutMs: () => number;
}

/**
 * Probes sources from the node that runs, or would run, the stream: a source that one machine can reach may be
 * unreachable for another. If that node does not answer, or is too old for the call, this one probes.
 */
export class SourceProbe {
  readonly #options: SourceProbeOptions;

  constructor(options: SourceProbeOptions) {
    this.#options = options;
  }

  /** @param node another than this one; undefined: this one. @throws Fault of one of the probe codes */
  report(node: string | undefined, at: ProbeTarget): Promise<SourceReport> {
    const { rpc } = this.#options;
    if (node === undefined) return this.reportHere(at);
    const ask = async () =>
      believed(calls.probeStream.reply, await rpc.askJson(node, this.#request(sourceReportPath, at)), node);
    return elseHere(ask(), () => this.reportHere(at));
  }

  /** The first key frame as a JPEG; as `report`. */
  snapshot(node: string | undefined, at: ProbeTarget): Promise<Uint8Array> {
    if (node === undefined) return this.snapshotHere(at);
    const ask = async (): Promise<Uint8Array> => {
      const { rpc } = this.#options;
      return (await rpc.askBytes(node, this.#request(sourceSnapshotPath, at))).bytes;
    };
    return elseHere(ask(), () => this.snapshotHere(at));
  }

  async reportHere({ address, allowLoopback, signal }: ProbeTarget): Promise<SourceReport> {
    const { prober, timeoutMs } = this.#options;
    const options = { allowLoopback, timeoutMs: timeoutMs(), signal };
    const { tracks, transport } = await prober.probe(address, options);
    return {
      transport,
      tracks: tracks.map((track) => ({
        kind: track.kind,
        codec: track.codec,
        codecString: track.codecString,
        width: track.kind === 'video' ? track.width : null,
        height: track.kind === 'video' ? track.height : null,
        sampleRate: track.kind === 'audio' ? track.sampleRate : null,
        channels: track.kind === 'audio' ? track.channels : null,
      })),
    };
  }

  snapshotHere({ address, allowLoopback, signal }: ProbeTarget): Promise<Uint8Array> {
    const { prober, timeoutMs } = this.#options;
    return prober.preview(address, { allowLoopback, timeoutMs: timeoutMs(), signal, maxWidth: previewWidth });
  }

  #request(path: string, { address, allowLoopback, signal }: ProbeTarget) {
    const json: SourceQuestion = { address: addressWithCredentials(address), allowLoopback };
    return { path, json, signal, timeoutMs: this.#options.timeoutMs() + wayMs };
  }
}

async function elseHere<T>(asked: Promise<T>, here: () => Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Fault && error.code !== 'Unavailable' && error.code !== 'NotFound') throw error;
    return here();
  }
}
