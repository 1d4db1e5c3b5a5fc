import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { Membership } from './membership.ts';
import { NodeService } from './node-service.ts';

/** This node, `north`, and `south`, which is down, without a license for a cluster. */
async function scene(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  await store.nodes.register('south', '1.0.0', 1);
  const membership = await Membership.open({
    nodes: store.nodes,
    clock,
    log: silentLog,
    id: 'north',
    capacity: null,
    version: '1.0.0',
  });
  const refused: string[] = [];
  const license = {
    requireEnterprise(feature: string) {
      refused.push(feature);
      throw new Fault('EnterpriseOnly', 'The license is not an enterprise license.');
    },
  };
  return { membership, refused, service: new NodeService({ license, membership }) };
}

test('[R7.39] without a license a drained node can return itself to service, but no other node', async (t) => {
  const { membership, service, refused } = await scene(t);
  await membership.setDrained('north', true);
  await membership.setDrained('south', true);
  assert.throws(() => service.endDrain('south'), { code: 'EnterpriseOnly' });
  assert.deepEqual(refused, ['cluster']);
  assert.equal((await service.endDrain('north')).isDrained, false);
  assert.deepEqual(refused, ['cluster']);
  assert.throws(() => service.endDrain('north'), { code: 'EnterpriseOnly' });
  assert.equal((await membership.get('south')).isDrained, true);
});

test('[R7.37] a stream can be assigned to nodes that are up and not drained, and the form gets no other data of a node', async (t) => {
  const { membership, service } = await scene(t);
  const choices = async () => (await service.choices()).toSorted((a, b) => a.id.localeCompare(b.id));
  assert.deepEqual(await choices(), [
    { id: 'north', name: 'north', available: true },
    { id: 'south', name: 'south', available: false },
  ]);
  await membership.setDrained('north', true);
  assert.equal((await choices())[0]?.available, false);
});
