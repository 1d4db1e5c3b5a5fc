import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventLimits } from '@vidette/contract/constants';
import { EventHub, type NumberedEvent } from './event-hub.ts';
import { EventSubscription, type EventViewer } from './event-subscription.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function viewer(uids: string[]): EventViewer {
  return { uids: new Set(uids) } as unknown as EventViewer;
}

/** The camera fails with odd entries, and moves with even ones. */
const entryOf = (id: number) => ({
  id,
  kind: id % 2 ? ('stream-down' as const) : ('motion' as const),
  stream: 'gate',
  startTime: 0,
  endTime: null,
});

/** A connection to a hub whose client may view some streams. */
function scene() {
  const hub = new EventHub('run');
  const rights = { uids: ['gate', 'hall'], isValid: true, reads: 0, nowMs: 0 };
  const ended: string[] = [];
  const connect = (lastEventId?: string) => {
    const subscription = new EventSubscription(
      {
        readViewer: async () => {
          rights.reads++;
          await settled();
          return rights.isValid ? viewer(rights.uids) : undefined;
        },
        render: async ({ uids }, { event }) => {
          await settled();
          if (event.type === 'journal') return { name: 'journal', data: { items: event.ids.map(entryOf) } };
          if (event.type !== 'statuses') return { name: 'streams', data: {} };
          const items = event.uids
            .filter((uid) => uids?.has(uid))
            .map((uid) => ({ uid, status: 'running' as const, failureReason: null, nodeAvailable: true }));
          return items.length > 0 ? { name: 'statuses', data: { items } } : undefined;
        },
        idText: (id) => hub.textOf(id),
        nowMs: () => rights.nowMs,
        onEnd: () => ended.push('ended'),
        onError: (error) => assert.fail(String(error)),
      },
      hub.since(lastEventId),
      hub.lastId,
    );
    const stop = hub.subscribe((event: NumberedEvent) => subscription.take(event));
    return { subscription, stop };
  };
  const told = async ({ subscription }: { subscription: EventSubscription }) => {
    for (let turns = 0; turns < 20; turns++) await settled();
    const chunk = subscription.body.read() as Buffer | null;
    return (chunk?.toString() ?? '')
      .split('\n\n')
      .filter((block) => block !== '' && block !== ':')
      .map((block) => {
        const [id = '', name = '', data = ''] = block.split('\n');
        const uids = [...data.matchAll(/"uid":"(\w+)"/g)].map(([, uid]) => uid);
        return [id.replace('id: ', ''), name.replace('event: ', ''), ...uids].join(' ');
      });
  };
  const status = (...uids: string[]) => hub.publish({ type: 'statuses', uids });
  return { hub, rights, ended, connect, told, status };
}

test('[R11.1] a client reloads first, is then told what changes, and only of what it may see', async () => {
  const { connect, told, status } = scene();
  const one = connect();
  status('gate', 'secret');
  status('secret');
  assert.deepEqual(await told(one), ['run.0 reload', 'run.1 statuses gate']);
});

test('[R11.2] an event is a text of three lines, and a comment tells that the connection works', async () => {
  const { connect, status } = scene();
  const { subscription } = connect();
  for (let turns = 0; turns < 20; turns++) await settled();
  assert.equal(String(subscription.body.read()), 'id: run.0\nevent: reload\ndata: {}\n\n');
  subscription.keepAlive();
  assert.equal(String(subscription.body.read()), ':\n\n');
  status('gate');
  for (let turns = 0; turns < 20; turns++) await settled();
  assert.match(String(subscription.body.read()), /^id: run\.1\nevent: statuses\ndata: \{.*\}\n\n$/);
});

test('[R11.1] an event that was not written before a right is withdrawn is judged by the rights that are left', async () => {
  const { connect, told, status, rights } = scene();
  const one = connect();
  await told(one);
  status('gate', 'hall');
  rights.uids = ['hall'];
  one.subscription.doubt();
  status('gate');
  assert.deepEqual(await told(one), ['run.1 statuses hall']);
});

test('[R11.1] a client whose session has ended is disconnected without a further event', async () => {
  const { connect, told, status, rights, ended } = scene();
  const one = connect();
  await told(one);
  rights.isValid = false;
  one.subscription.doubt();
  status('gate');
  assert.deepEqual(await told(one), []);
  assert.deepEqual(ended, ['ended']);
  assert.deepEqual(await told(one), []);
  assert.equal(one.subscription.body.readableEnded, true);
});

test('[R11.1] the id of the last event continues without loss, as long as what follows is kept; then, and after a restart, the client reloads', async () => {
  const { connect, told, status } = scene();
  const one = connect();
  status('gate');
  assert.deepEqual(await told(one), ['run.0 reload', 'run.1 statuses gate']);
  one.stop();
  status('hall');
  status('gate');
  assert.deepEqual(await told(connect('run.1')), ['run.2 statuses hall', 'run.3 statuses gate']);
  assert.deepEqual(await told(connect('run.3')), []);
  assert.deepEqual(await told(connect('other.1')), ['run.3 reload']);
  assert.deepEqual(await told(connect('run.99')), ['run.3 reload']);
  assert.deepEqual(await told(connect('nonsense')), ['run.3 reload']);
  for (let n = 0; n < eventLimits.keptMax * 2; n++) status('secret');
  const [first = ''] = await told(connect('run.3'));
  assert.match(first, /reload$/);
});

test('[R11.1] a client that does not read costs a bounded amount of memory, and reloads when it reads again', async () => {
  const { connect, told, status } = scene();
  const one = connect();
  await told(one);
  for (let n = 0; n < 20_000; n++) {
    status('gate', 'hall');
    if (n % 100 === 0) for (let turns = 0; turns < 10; turns++) await settled();
  }
  assert.ok(one.subscription.body.readableLength < 512 * 1024);
  while ((await told(one)).length > 100);
  const rest = await told(one);
  status('gate');
  const [last = ''] = [...rest, ...(await told(one))].slice(-1);
  assert.match(last, /run\.20001 statuses gate/);
});

test('[R11.1] changed warnings about streams are told immediately while they are rare, and every 20 s while they are not', async () => {
  const { hub, rights, connect, told } = scene();
  const one = connect();
  await told(one);
  const happens = async (...ids: number[]) => {
    hub.publish({ type: 'journal', ids });
    return (await told(one)).filter((event) => event.includes('health')).length;
  };
  assert.equal(await happens(2), 0, 'motion warns of nothing');
  for (let count = 0; count < eventLimits.warningsAtOnce; count++) assert.equal(await happens(2, 3), 1);
  assert.equal(await happens(5), 0);
  one.subscription.keepAlive();
  assert.deepEqual(await told(one), [], 'not yet');
  rights.nowMs += eventLimits.warningsMs;
  one.subscription.keepAlive();
  assert.deepEqual(await told(one), ['event: health data: {"ofStreams":true}']);
  one.subscription.keepAlive();
  assert.deepEqual(await told(one), [], 'once');
});

test('[R11.1] a client that continues is told of warnings that may have changed before its connection broke', async () => {
  const { connect, told, status } = scene();
  const one = connect();
  status('gate');
  await told(one);
  const next = connect('run.1');
  await told(next);
  next.subscription.keepAlive();
  assert.deepEqual(await told(next), ['event: health data: {"ofStreams":true}']);
});
