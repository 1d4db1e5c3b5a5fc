import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer as createHttp, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { until } from '../base/until-fixture.ts';
import { createDial } from '../dial/dial.ts';
import { selfSigned } from '../system/smtp-fixture.ts';
import { newWebhookSecret, postWebhook } from './webhook-request.ts';

const clock = { ...systemClock, wallMs: () => 1_795_255_200_000 };
const secret = newWebhookSecret();
const sent = { secret, id: 'r1-e2-t3', body: '{"type":"rule"}' };

async function listen(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const receiver = async (t: TestContext, answer: RequestListener) =>
  `http://127.0.0.1:${await listen(t, createHttp(answer))}/hook?a=1`;

function post(url: string, allowLoopback = true) {
  return postWebhook(
    { ...sent, url },
    { dial: createDial({ allowLoopback, clock }), clock, userAgent: 'Vidette/1' },
  );
}

/** The code of a failure, and its status. */
async function failureAt(url: string) {
  const result = await post(url);
  assert.ok(!result.isAccepted);
  return [result.failure.code, result.failure.status];
}

test('[R11.12] a webhook is a POST with an idempotency key and a signature that the receiver can verify', async (t) => {
  const received: { request: IncomingMessage; body: string }[] = [];
  const url = await receiver(t, (request, response) => {
    void textOf(request).then((body) => {
      received.push({ request, body });
      response.writeHead(204).end();
    });
  });
  assert.deepEqual(await post(url.replace('//', '//us%40er:pass@')), { isAccepted: true });
  const [{ request, body } = assert.fail()] = received;
  assert.deepEqual([request.method, request.url, body], ['POST', '/hook?a=1', sent.body]);
  const { headers } = request;
  assert.equal(headers['webhook-id'], sent.id);
  assert.equal(headers['webhook-timestamp'], '1795255200');
  assert.equal(headers.authorization, `Basic ${Buffer.from('us@er:pass').toString('base64')}`);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(`${sent.id}.1795255200.${body}`).digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${expected}`);
});

test('[R11.12] a receiver that refuses, resets, redirects or answers with an error is distinguished', async (t) => {
  const closed = createTcp();
  const port = await listen(t, closed);
  await new Promise((resolve) => closed.close(resolve));
  assert.deepEqual(await failureAt(`http://127.0.0.1:${port}/`), ['unreachable', null], 'refused');
  assert.deepEqual(await failureAt('http://nowhere.invalid/'), ['unreachable', null], 'DNS');

  const resetting = createTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
  assert.deepEqual(await failureAt(`http://127.0.0.1:${await listen(t, resetting)}/`), ['reset', null]);

  const talking = createTcp((socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n')));
  assert.deepEqual(
    await failureAt(`http://127.0.0.1:${await listen(t, talking)}/`),
    ['reset', null],
    'no HTTP',
  );

  const error = await receiver(t, (_, response) => response.writeHead(500).end());
  assert.deepEqual(await failureAt(error), ['status', 500]);
  const moved = await receiver(t, (_, response) => response.writeHead(302, { location: error }).end());
  assert.deepEqual(await failureAt(moved), ['redirect', 302]);
});

test('[R11.12] a 4xx is a refusal; one that only means "later" names the pause', async (t) => {
  const answers = {
    gone: { status: 410, headers: {} },
    busy: { status: 429, headers: { 'retry-after': '120' } },
  };
  const url = await receiver(t, (request, response) => {
    const { status, headers } = request.url === '/hook?a=1' ? answers.busy : answers.gone;
    response.writeHead(status, headers).end();
  });
  assert.deepEqual(await post(url), {
    isAccepted: false,
    failure: { code: 'status', status: 429 },
    isRefusal: false,
    retryAfterMs: 120_000,
  });
  const gone = await post(url.replace('?a=1', ''));
  assert.deepEqual([gone.isAccepted, 'isRefusal' in gone && gone.isRefusal], [false, true]);
});

test('[R11.12] a status accepts, however long or slow the body behind it is', async (t) => {
  const huge = await receiver(t, (_, response) => {
    const fill = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 20)));
    };
    response.on('drain', fill);
    fill();
  });
  assert.deepEqual(await post(huge), { isAccepted: true });
  const slow = await receiver(
    t,
    (_, response) => void response.writeHead(200, { 'content-length': 9 }).write('x'),
  );
  assert.deepEqual(await post(slow), { isAccepted: true });
});

test('[R11.12] a receiver that hangs, before TLS or after the request, costs ten seconds', async (t) => {
  const held: Socket[] = [];
  const port = await listen(
    t,
    createTcp((socket) => void held.push(socket)),
  );
  for (const scheme of ['http', 'https']) {
    const manual = new ManualClock();
    const dial = createDial({ allowLoopback: true, clock: manual });
    const url = `${scheme}://127.0.0.1:${port}/`;
    const result = postWebhook({ ...sent, url }, { dial, clock: manual, userAgent: 'Vidette/1' });
    const count = held.length;
    await until(() => held.length > count && manual.pendingTimers === 1);
    manual.advance(10_000);
    assert.deepEqual(await result, {
      isAccepted: false,
      failure: { code: 'timeout', status: null },
      isRefusal: false,
    });
  }
});

test('[R11.12] a certificate that proves nothing is refused, and so is an answer that is no TLS', async (t) => {
  const { key, certificate: cert } = selfSigned();
  const secure = await listen(
    t,
    createHttps({ key, cert }, (_, response) => response.end()),
  );
  assert.deepEqual(await failureAt(`https://127.0.0.1:${secure}/`), ['tls', null]);
  assert.deepEqual(await failureAt(`https://localhost:${secure}/`), ['tls', null]);
  const plain = await receiver(t, (_, response) => response.end());
  assert.deepEqual(await failureAt(plain.replace('http:', 'https:')), ['tls', null]);
});

test('[R11.12] only administrators reach this machine, and no user reaches a link-local service', async (t) => {
  const url = await receiver(t, (_, response) => response.end());
  const own = await post(url, false);
  assert.ok(!own.isAccepted);
  assert.equal(own.failure.code, 'address-forbidden');
  for (const address of [
    'http://169.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://0.0.0.0:1/',
  ]) {
    assert.deepEqual(await failureAt(address), ['address-forbidden', null], address);
  }
});

test('[R11.12] neither another spelling of an address nor a name that resolves to it reaches a forbidden address', async () => {
  for (const host of [
    ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]'],
    ...['0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '[fe80::1]', '[::ffff:127.0.0.1]', '127.1', '0'],
  ]) {
    const result = await post(`http://${host}/hook`, false);
    assert.ok(!result.isAccepted && result.failure.code === 'address-forbidden', host);
  }
  // What a name resolved to before it was saved does not matter.
  const found = ['169.254.169.254', '127.0.0.1', '::ffff:169.254.169.254'];
  for (const ip of found) {
    const dial = createDial({ allowLoopback: false, clock, lookup: () => Promise.resolve([ip]) });
    const result = await postWebhook(
      { ...sent, url: 'http://hooks.example/' },
      { dial, clock, userAgent: 'x' },
    );
    assert.ok(!result.isAccepted && result.failure.code === 'address-forbidden', ip);
  }
});

test('[R11.12] nothing in an address becomes a header, and credentials may contain any character', async (t) => {
  const received: IncomingMessage[] = [];
  const url = await receiver(t, (request, response) => {
    received.push(request);
    response.writeHead(204).end();
  });
  const strange = url
    .replace('//', '//100%:50%25%0d%0aX-Evil:1@')
    .replace('a=1', 'a=1%0d%0aX-Evil:1\r\nX-Evil:2#\r\nX-Evil:3');
  assert.deepEqual(await post(strange), { isAccepted: true });
  const [request = assert.fail()] = received;
  assert.equal(request.headers['x-evil'], undefined);
  const { authorization = '' } = request.headers;
  const credentials = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  assert.equal(credentials, '100%:50%\r\nX-Evil:1');
});
