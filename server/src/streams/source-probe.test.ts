import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { parseSourceAddress } from '../dial/address.ts';
import type { NodeRpcRequest } from '../rpc/node-rpc.ts';
import { SourceProbe, type SourceReport } from './source-probe.ts';

const there: SourceReport = { transport: 'udp', tracks: [] };
const snapshot = Buffer.from('a picture from there');

/** A node whose own probe returns no tracks, and another whose answers the test sets. */
function look(answer: () => void): { look: SourceProbe; asked: { node: string; request: NodeRpcRequest }[] } {
  const asked: { node: string; request: NodeRpcRequest }[] = [];
  const ask = async (node: string, request: NodeRpcRequest) => {
    asked.push({ node, request });
    answer();
    return { bytes: snapshot, headers: {} };
  };
  const askJson = async (node: string, request: NodeRpcRequest) => {
    await ask(node, request);
    return there;
  };
  const prober = {
    probe: async () => ({ tracks: [], transport: 'tcp' }),
    preview: async () => Buffer.from('a picture from here'),
  };
  return {
    look: new SourceProbe({ prober, rpc: { askBytes: ask, askJson }, timeoutMs: () => 7_000 }),
    asked,
  };
}

const at = {
  address: parseSourceAddress('rtsp://anna:secret@camera.example/live'),
  allowLoopback: true,
  signal: new AbortController().signal,
};

test('[R3.7] a source is probed from the node that is responsible for it, including its credentials', async () => {
  const { look: sources, asked } = look(() => {});
  assert.deepEqual(await sources.report('south', at), there);
  assert.deepEqual(await sources.snapshot('south', at), snapshot);
  assert.deepEqual(
    asked.map(({ node, request }) => [node, request.path, request.json]),
    ['report', 'picture'].map((what) => [
      'south',
      `source/${what}`,
      { address: 'rtsp://anna:secret@camera.example/live', allowLoopback: true },
    ]),
  );
  assert.equal((await sources.report(undefined, at)).transport, 'tcp');
  assert.equal(asked.length, 2);
});

test('[R3.7] the result of that node counts; while it is unavailable, or too old for the call, this one probes', async () => {
  const failing = (code: 'EHOSTUNREACH' | 'Unavailable' | 'NotFound') =>
    look(() => {
      throw new Fault(code, 'No.');
    }).look;
  await assert.rejects(failing('EHOSTUNREACH').report('south', at), { code: 'EHOSTUNREACH' });
  for (const code of ['Unavailable', 'NotFound'] as const) {
    assert.equal((await failing(code).report('south', at)).transport, 'tcp');
    assert.equal(String(await failing(code).snapshot('south', at)), 'a picture from here');
  }
});
