import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renewPush, syncPush, type RenewalScope } from './push-renewal.ts';

const serverKey = new Uint8Array([4, 1, 2]).buffer;

function subscription(name: string): PushSubscription {
  const keys = { p256dh: `p-${name}`, auth: `a-${name}` };
  const endpoint = `https://push.example.org/${name}`;
  return { endpoint, options: { applicationServerKey: serverKey }, toJSON: () => ({ keys }) } as never;
}

/** A browser whose push service returns `next` for the next subscription. */
function made(current: PushSubscription | null, next = subscription('new')) {
  const stored = new Map<string, string>();
  const state = { current, status: 200, sent: [] as unknown[], asked: [] as unknown[] };
  const scope: RenewalScope = {
    registration: {
      pushManager: {
        getSubscription: () => Promise.resolve(state.current),
        subscribe: ({ applicationServerKey }: PushSubscriptionOptionsInit) => {
          state.asked.push([...(applicationServerKey as Uint8Array)]);
          state.current = next;
          return Promise.resolve(next);
        },
      } as unknown as PushManager,
    },
    caches: {
      open: () =>
        Promise.resolve({
          match: (path: string) => {
            const text = stored.get(path);
            return Promise.resolve(text === undefined ? undefined : new Response(text));
          },
          put: async (path: string, response: Response) => void stored.set(path, await response.text()),
        } as unknown as Cache),
    },
    fetch: (path, init) => {
      state.sent.push({ path, ...(JSON.parse(init?.body as string) as object) });
      if (state.status === 0) return Promise.reject(new TypeError('no network'));
      return Promise.resolve(new Response(null, { status: state.status }));
    },
  };
  return { scope, state };
}

const renewal = {
  path: '/v1/notification-push-device/renew',
  oldEndpoint: 'https://push.example.org/old',
  oldAuth: 'a-old',
  endpoint: 'https://push.example.org/new',
  keys: { p256dh: 'p-new', auth: 'a-new' },
};

test('[R11.10] a subscription that ended is renewed with the server’s key, and the server is told once', async () => {
  const { scope, state } = made(null);
  await renewPush(scope, { oldSubscription: subscription('old') });
  assert.deepEqual(state.asked, [[4, 1, 2]]);
  assert.deepEqual(state.sent, [renewal]);
  await syncPush(scope);
  assert.equal(state.sent.length, 1);
});

test('[R11.10] a subscription that the browser renewed itself is told, also without the old one', async () => {
  const { scope, state } = made(subscription('old'));
  await syncPush(scope);
  assert.deepEqual(state.sent, [], 'the page has told it');
  state.current = subscription('new');
  await renewPush(scope, { oldSubscription: null, newSubscription: state.current });
  assert.deepEqual([state.asked, state.sent], [[], [renewal]]);
});

test('[R11.10] a browser that does not tell is noticed at the next page', async () => {
  const { scope, state } = made(subscription('old'));
  await syncPush(scope);
  state.current = subscription('new');
  await syncPush(scope);
  assert.deepEqual(state.sent, [renewal]);
});

test('[R11.10] what the server could not be told is told later; a refusal is final', async () => {
  const { scope, state } = made(null);
  for (const status of [0, 503, 429]) {
    state.status = status;
    await assert.rejects(renewPush(scope, { oldSubscription: subscription('old') }));
  }
  state.status = 404;
  await syncPush(scope);
  assert.deepEqual(state.sent, [renewal, renewal, renewal, renewal]);
  await syncPush(scope);
  assert.equal(state.sent.length, 4);
  assert.equal(state.asked.length, 1);
});

test('[R11.10] without a subscription there is nothing to renew', async () => {
  const { scope, state } = made(null);
  await renewPush(scope, {});
  await syncPush(scope);
  assert.deepEqual([state.asked, state.sent], [[], []]);
});
