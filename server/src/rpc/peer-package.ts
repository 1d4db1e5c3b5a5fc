import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { steadyBody, streamOf } from './answer-body.ts';
import type { NodeRpc } from './node-rpc.ts';
import { believed } from './peer-answers.ts';

const Size = z.object({ bytes: z.int().min(0) });

/** A slow disk on the other node may delay the next byte for this long. */
const silenceMs = 10_000;

/** A package of footage on another node; its bytes are requested as they are consumed. */
export interface PeerPackage {
  readonly bytes: number;
  /** Bytes from `start` up to and including `end`. @throws Fault Unavailable while the node is away */
  stream(start: number, end: number): Promise<Readable>;
}

/** @throws Fault NotFound when it no longer exists, Unavailable while the node is away */
export async function peerPackage(
  rpc: Pick<NodeRpc, 'ask' | 'askJson'>,
  clock: Clock,
  node: string,
  id: number,
): Promise<PeerPackage> {
  const { bytes } = believed(
    Size,
    await rpc.askJson(node, { path: `export/${id}/size`, kind: 'export' }),
    node,
  );
  return {
    bytes,
    async stream(start, end) {
      const path = `export/${id}?start=${start}&end=${end}`;
      const answer = await rpc.ask(node, { path, kind: 'export-bytes', timeoutMs: silenceMs });
      return streamOf(steadyBody(answer, clock, { length: end - start + 1, silenceMs }), answer);
    },
  };
}
