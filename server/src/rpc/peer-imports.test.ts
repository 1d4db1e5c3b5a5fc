import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { turns } from '../base/until-fixture.ts';
import { PeerImports } from './peer-imports.ts';

test('[R16.3] a node knows what was imported on others, also while they are away, and not what they don’t have', async () => {
  const clock = new ManualClock();
  let nodes = ['north', 'south', 'old', 'odd'];
  const answers: Record<string, () => unknown> = {
    north: () => ({ streams: ['cam1', 'cam2'] }),
    south: () => ({ streams: ['cam1'] }),
    old: () => {
      throw new Fault('NotFound', 'There is no such call.');
    },
    odd: () => ({ streams: 'cam1' }),
  };
  const imports = new PeerImports({
    clock,
    peers: { ids: async () => nodes },
    rpc: { askJson: async (node) => answers[node]?.() },
  });
  /** After another round of calls. */
  const after = async (isDone: () => boolean) => {
    clock.advance(5_000);
    await turns(10, isDone);
    assert.ok(isDone());
  };
  await turns(10, () => imports.nodesWith('cam2').length > 0);
  assert.deepEqual(imports.nodesWith('cam1'), ['north', 'south']);
  assert.deepEqual(imports.nodesWith('cam2'), ['north']);
  assert.deepEqual(imports.nodesWith('cam3'), []);

  answers['north'] = () => {
    throw new Fault('Unavailable', 'It does not answer.');
  };
  answers['south'] = () => ({ streams: ['cam3'] });
  await after(() => imports.nodesWith('cam3').length > 0);
  assert.deepEqual(imports.nodesWith('cam1'), ['north']);
  // It runs an earlier version again.
  answers['north'] = answers['old'] ?? (() => undefined);
  await after(() => imports.nodesWith('cam1').length === 0);
  nodes = ['north'];
  await after(() => imports.nodesWith('cam3').length === 0);
  await imports.close();
});
