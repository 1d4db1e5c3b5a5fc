import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, createClient } from './client.ts';

interface SentRequest {
  url: string;
  init: RequestInit;
}

function clientAnswering(answer: (sent: SentRequest) => Response | Promise<Response>) {
  const sent: SentRequest[] = [];
  const client = createClient({
    baseUrl: 'http://host',
    fetch: (url, init = {}) => {
      assert.ok(typeof url === 'string');
      const one = { url, init };
      sent.push(one);
      return Promise.resolve(answer(one));
    },
  });
  return { client, sent };
}

const json = (body: unknown, init: { status?: number; headers?: Record<string, string> } = {}) =>
  new Response(JSON.stringify(body), {
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });

test('a call goes to its address with its body', async () => {
  const { client, sent } = clientAnswering(() => json({ status: 'paused' }));
  assert.deepEqual(await client.pauseStream({ body: { uid: 'abc' } }), { status: 'paused' });
  assert.equal(sent[0]?.url, 'http://host/v1/stream/pause');
  assert.equal(sent[0]?.init.method, 'POST');
  assert.equal(sent[0]?.init.body, '{"uid":"abc"}');
});

test('[R8.2, R8.4] the code comes from the body, with the fields and Retry-After', async () => {
  const fields = [{ path: 'name', code: 'too_small', error: 'short' }];
  const { client } = clientAnswering(() =>
    json(
      { code: 'TooManyRequests', error: 'Later.', fields },
      { status: 429, headers: { 'retry-after': '7' } },
    ),
  );
  await assert.rejects(client.listUsers(), (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual(
      [error.code, error.message, error.status, error.retryAfterSeconds],
      ['TooManyRequests', 'Later.', 429, 7],
    );
    assert.deepEqual(error.fields, fields);
    return true;
  });
});

for (const [what, response] of [
  ['a proxy’s page', () => new Response('<html>', { status: 502 })],
  ['a code that is not in the catalogue', () => json({ code: 'constructor' }, { status: 500 })],
  ['JSON cut short', () => new Response('{"code":', { status: 500 })],
] as const) {
  test(`[R8.2] ${what} is an unknown error`, async () => {
    const { client } = clientAnswering(response);
    await assert.rejects(
      client.getHealth(),
      (error: unknown) => error instanceof ApiError && error.code === 'SERVER_UNKNOWN_ERR',
    );
  });
}

test('[R7.53] no answer is SERVER_NOT_RESPONSE_ERR, a cancelled call is not', async () => {
  const { client } = clientAnswering(() => Promise.reject(new TypeError('failed to fetch')));
  await assert.rejects(
    client.getHealth(),
    (error: unknown) =>
      error instanceof ApiError && error.code === 'SERVER_NOT_RESPONSE_ERR' && error.status === 0,
  );
  const controller = new AbortController();
  controller.abort(new Error('gone'));
  await assert.rejects(client.getHealth({}, { signal: controller.signal }), /gone/);
});

test('snapshots are returned as the response itself', async () => {
  const { client } = clientAnswering(
    () => new Response('jpeg', { headers: { 'content-type': 'image/jpeg' } }),
  );
  const response = await client.getStreamPicture({ params: { uid: 'abc' } });
  assert.equal(await response.text(), 'jpeg');
});
