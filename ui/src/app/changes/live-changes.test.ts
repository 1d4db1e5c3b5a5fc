import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import type { StreamState } from '@vidette/contract/entities';
import { setUser } from '../../api/session.ts';
import type { PageClock } from '../../base/clock.ts';
import type { ServerEvent, ServerEventStream } from './server-events.ts';
import { followChanges } from './live-changes.ts';

type User = NonNullable<Parameters<typeof setUser>[1]>;

/** A page whose connection the test plays. */
function scene() {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const calls: string[] = [];
  const page = {
    hidden: false,
    change: () => {},
    addEventListener: (_: string, run: () => void) => (page.change = run),
  };
  const network = { leave: () => {} };
  let tell: (event: ServerEvent) => void = () => {};
  let cut = () => {};
  const events = {
    isConnected: () => false,
    start: () => calls.push('start'),
    stop: () => calls.push('stop'),
    forget: () => calls.push('forget'),
    watch: (run: () => void) => (cut = run),
    listen: (run: (event: ServerEvent) => void) => (tell = run),
  };
  followChanges(
    events as unknown as ServerEventStream,
    queryClient,
    page as unknown as Pick<Document, 'hidden' | 'addEventListener'>,
    {
      addEventListener: (_: string, run: () => void) => (network.leave = run),
    } as unknown as Pick<Window, 'addEventListener'>,
    { monotonicMs: () => 0, after: () => () => undefined } as unknown as PageClock,
  );
  return { queryClient, calls, page, network, tell: (event: ServerEvent) => tell(event), cut: () => cut() };
}

test('[R11.2] the page follows changes while a user is signed in and the tab is visible, and forgets where it was with the user', () => {
  const { queryClient, calls, page, network } = scene();
  assert.deepEqual(calls.splice(0), ['stop']);
  setUser(queryClient, { name: 'ann' } as User);
  assert.ok(calls.splice(0).includes('start'));
  page.hidden = true;
  page.change();
  assert.deepEqual(calls.splice(0), ['stop']);
  page.hidden = false;
  page.change();
  assert.deepEqual(calls.splice(0), ['start']);
  network.leave();
  assert.deepEqual(calls.splice(0), ['stop', 'start']);
  setUser(queryClient, { name: 'bob' } as User);
  assert.equal(calls.splice(0)[0], 'forget');
  setUser(queryClient, null);
  assert.ok(calls.includes('forget'));
  assert.equal(calls.at(-1), 'stop');
});

test('[R11.2] a state is shown before anything is fetched, in the list and on the page of the stream', () => {
  const { queryClient, tell } = scene();
  const gate: StreamState = { uid: 'gate', status: 'running', failureReason: null, nodeAvailable: true };
  queryClient.setQueryData(['streams', 'statuses'], { revision: 7, states: new Map([['gate', gate]]) });
  queryClient.setQueryData(['stream', 'gate'], { uid: 'gate', name: 'Gate', status: 'running' });
  tell({
    name: 'statuses',
    data: { items: [{ uid: 'gate', status: 'failed', failureReason: 'no route' }] },
  });
  const known = queryClient.getQueryData<{ revision: number; states: Map<string, StreamState> }>([
    'streams',
    'statuses',
  ]);
  assert.equal(known?.states.get('gate')?.status, 'failed');
  assert.equal(known.revision, 7);
  assert.deepEqual(queryClient.getQueryData(['stream', 'gate']), {
    uid: 'gate',
    name: 'Gate',
    status: 'failed',
    failureReason: 'no route',
  });
});

test('[R11.2] what a state leaves out is as it is for most: no reason, and a node that is up', () => {
  const { queryClient, tell } = scene();
  const gate: StreamState = {
    uid: 'gate',
    status: 'failed',
    failureReason: 'no route',
    nodeAvailable: false,
  };
  queryClient.setQueryData(['streams', 'statuses'], { revision: 7, states: new Map([['gate', gate]]) });
  tell({ name: 'statuses', data: { items: [{ uid: 'gate', status: 'running' }] } });
  const known = queryClient.getQueryData<{ states: Map<string, StreamState> }>(['streams', 'statuses']);
  assert.deepEqual(known?.states.get('gate'), {
    uid: 'gate',
    status: 'running',
    failureReason: null,
    nodeAvailable: true,
  });
});

test('[R11.2] while they are rare, the badge follows each entry and the warnings each notice; not while they are frequent', async () => {
  const { queryClient, tell } = scene();
  const fetched = new Map<string, number>();
  const observe = (...queryKey: string[]) =>
    new QueryObserver(queryClient, {
      queryKey,
      queryFn: () => {
        const name = queryKey.join(' ');
        fetched.set(name, (fetched.get(name) ?? 0) + 1);
        return name;
      },
    }).subscribe(() => {});
  const stops = [observe('health'), observe('journal', 'summary')];
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  const happens = async (kind: 'motion' | 'stream-down') => {
    const entry = { id: 1, kind, stream: 'gate', startTime: 0, endTime: null };
    tell({ name: 'journal', data: { items: [entry] } });
    if (kind === 'stream-down') tell({ name: 'health', data: { ofStreams: true } });
    await settled();
    return [fetched.get('health'), fetched.get('journal summary')];
  };
  assert.deepEqual(await happens('motion'), [1, 2]);
  assert.deepEqual(await happens('stream-down'), [2, 3]);
  for (let count = 0; count < 20; count++) await happens('stream-down');
  assert.deepEqual(await happens('stream-down'), [5, 5]);
  tell({ name: 'health', data: {} });
  await settled();
  assert.equal(fetched.get('health'), 6);
  for (const stop of stops) stop();
  queryClient.clear();
});

test('[R11.2] when the connection breaks or is back, what it reports is fetched once, and nothing else', async () => {
  const { queryClient, cut } = scene();
  const fetched: string[] = [];
  const observe = (key: string, isFollowed: boolean) =>
    new QueryObserver(queryClient, {
      queryKey: [key],
      queryFn: () => {
        fetched.push(key);
        return key;
      },
      meta: isFollowed ? { isFollowed } : {},
    }).subscribe(() => {});
  const stops = [observe('health', true), observe('help', false)];
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  assert.deepEqual(fetched.splice(0), ['health', 'help']);
  cut();
  await settled();
  assert.deepEqual(fetched, ['health']);
  for (const stop of stops) stop();
  queryClient.clear();
});
