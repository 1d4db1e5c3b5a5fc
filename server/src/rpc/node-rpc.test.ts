import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { createServer as createTlsServer, request as tlsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { KeyPair, seedBytes } from '../base/key-pair.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { Fault } from '../base/fault.ts';
import { NodeAuthenticator } from './node-authenticator.ts';
import { noBytes, pair, selfSigned, timeOf } from './rpc-fixture.ts';
import { NodeRpc } from './node-rpc.ts';
import { areCompatible, base64url, rpcProtocol, proofHeader, requestText, writeClaim } from './signature.ts';

/** The reason of a rejected promise. */
async function faultOf(refused: Promise<unknown>): Promise<Fault> {
  const fault = await refused.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(fault instanceof Fault, 'a Fault was expected');
  return fault;
}

const ask = (rpc: NodeRpc) => rpc.askJson('south', { path: 'alive?x=1' });

test('[R10.8] a node answers another known node, and authenticates itself', async (t) => {
  const { rpc } = await pair(t);
  assert.deepEqual(await ask(rpc), { path: '/link/alive?x=1' });
  assert.deepEqual(await ask(rpc), { path: '/link/alive?x=1' });
});

test('[R10.8] a node with a key other than the one that joined is refused, on either side', async (t) => {
  const stranger = new KeyPair(randomBytes(seedBytes));
  const asked = await pair(t, { knownAs: stranger });
  assert.equal((await faultOf(ask(asked.rpc))).code, 'Unavailable');
  const answered = await pair(t, { answersAs: stranger });
  assert.equal((await faultOf(ask(answered.rpc))).code, 'Unavailable');

  const { nodeAuthenticator } = await pair(t);
  const path = '/link/alive';
  const claim = {
    protocol: rpcProtocol,
    from: 'north',
    to: 'south',
    timeMs: timeOf(nodeAuthenticator),
    nonce: 'once',
  };
  const question = { method: 'GET', path, body: noBytes, channel: noBytes };
  const signature = base64url(stranger.sign(requestText(claim, question)));
  const refused = await faultOf(nodeAuthenticator.admit(writeClaim({ ...claim, signature }), question));
  assert.equal(refused.code, 'AuthorizationRequired');
});

test('[R10.8] a request can’t be replayed, nor used for another path, body, node or connection', async (t) => {
  const { rpc, nodeAuthenticator, north, claims } = await pair(t);
  await ask(rpc);
  const header = claims.at(-1);
  const asked = { method: 'GET', path: '/link/alive?x=1', body: noBytes, channel: noBytes };
  assert.equal((await faultOf(nodeAuthenticator.admit(header, asked))).code, 'AuthorizationRequired');

  const fresh = {
    protocol: rpcProtocol,
    from: 'north',
    to: 'south',
    timeMs: timeOf(nodeAuthenticator),
    nonce: 'twice',
  };
  const signature = base64url(north.sign(requestText(fresh, asked)));
  const altered = [
    nodeAuthenticator.admit(writeClaim({ ...fresh, signature }), { ...asked, path: '/link/alive?x=2' }),
    nodeAuthenticator.admit(writeClaim({ ...fresh, signature }), { ...asked, body: Buffer.from('x') }),
    nodeAuthenticator.admit(writeClaim({ ...fresh, signature }), { ...asked, channel: Buffer.from('x') }),
    nodeAuthenticator.admit(writeClaim({ ...fresh, signature, to: 'north' }), asked),
    nodeAuthenticator.admit(writeClaim({ ...fresh, signature, nonce: 'thrice' }), asked),
    nodeAuthenticator.admit('', asked),
  ];
  for (const attempt of altered) assert.equal((await faultOf(attempt)).code, 'AuthorizationRequired');
  await nodeAuthenticator.admit(writeClaim({ ...fresh, signature }), asked);
});

test('[R10.8] different clocks do not matter, but a request of yesterday is refused', async (t) => {
  const { rpc, nodeAuthenticator, north, clock } = await pair(t);
  clock.advance(3_600_000);
  assert.deepEqual(await ask(rpc), { path: '/link/alive?x=1' });
  const asked = { method: 'GET', path: '/link/alive', body: noBytes, channel: noBytes };
  const old = {
    protocol: rpcProtocol,
    from: 'north',
    to: 'south',
    timeMs: timeOf(nodeAuthenticator),
    nonce: 'old',
  };
  const header = writeClaim({ ...old, signature: base64url(north.sign(requestText(old, asked))) });
  clock.advance(60_000);
  assert.ok((await nodeAuthenticator.admit(header, asked)).refusal);
});

test('[R10.8] a clock that is set back or forward, on either side, does not matter', async (t) => {
  const { rpc, clock, rpcClock, claims } = await pair(t);
  await ask(rpc);
  for (const stepMs of [-600_000, 86_400_000, -90_000_000]) {
    clock.stepWall(stepMs);
    assert.deepEqual(await ask(rpc), { path: '/link/alive?x=1' });
    rpcClock.stepWall(-2 * stepMs);
    assert.deepEqual(await ask(rpc), { path: '/link/alive?x=1' });
  }
  // The first call obtained the time; later ones need not.
  assert.equal(claims.length, 2 + 6);
});

test('[R10.8] a request to one run is not answered by the next, even if its clock was set back', async (t) => {
  const { nodeAuthenticator, north, south, clock } = await pair(t);
  const asked = { method: 'GET', path: '/link/alive', body: noBytes, channel: noBytes };
  const claim = {
    protocol: rpcProtocol,
    from: 'north',
    to: 'south',
    timeMs: timeOf(nodeAuthenticator),
    nonce: 'once',
  };
  const header = writeClaim({ ...claim, signature: base64url(north.sign(requestText(claim, asked))) });
  assert.equal((await nodeAuthenticator.admit(header, asked)).refusal, undefined);
  clock.stepWall(-60_000);
  const publicKey = north.publicBytes;
  const next = new NodeAuthenticator({
    self: 'south',
    key: south,
    clock,
    allowPlainHttp: true,
    peers: { byId: async (id) => ({ id, address: 'http://nowhere', publicKey }) },
  });
  t.after(() => next.close());
  clock.advance(60_000);
  assert.ok((await next.admit(header, asked)).refusal);
});

test('[R10.8] without TLS nodes communicate only if that is configured', async (t) => {
  const refusing = await pair(t, { allowPlainHttp: false });
  const asked = { method: 'GET', path: '/link/alive', body: noBytes, channel: noBytes };
  assert.equal((await faultOf(refusing.nodeAuthenticator.admit('', asked))).code, 'Forbidden');
  const strict = new NodeRpc({
    self: 'north',
    key: new KeyPair(randomBytes(seedBytes)),
    clock: new ManualClock(),
    allowPlainHttp: false,
    peers: { byId: async (id) => ({ id, address: 'http://127.0.0.1:1', publicKey: Buffer.alloc(32) }) },
  });
  t.after(() => strict.close());
  assert.match((await faultOf(ask(strict))).message, /does not use TLS/);
});

test('[R10.8] with TLS any certificate is accepted, and a machine in the middle can’t forward a request', async (t) => {
  const { rpc, claims } = await pair(t, { isTls: true, allowPlainHttp: false });
  assert.deepEqual(await ask(rpc), { path: '/link/alive?x=1' });
  assert.deepEqual(await ask(rpc), { path: '/link/alive?x=1' });
  // The first one obtained the other node's time.
  assert.equal(claims.length, 3);

  let passedOn = 0;
  const between = async (address: string): Promise<string> => {
    const thief = createTlsServer(selfSigned(), (request, reply) => {
      const { headers, url } = request;
      tlsRequest(new URL(url ?? '', address), { headers, rejectUnauthorized: false }, (answer) => {
        passedOn = answer.statusCode ?? 0;
        reply.writeHead(passedOn, answer.headers);
        answer.pipe(reply);
      }).end();
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      thief.close();
      thief.closeAllConnections();
    });
    return `https://127.0.0.1:${(thief.address() as AddressInfo).port}`;
  };
  const robbed = await pair(t, { isTls: true, allowPlainHttp: false, between });
  assert.equal((await faultOf(ask(robbed.rpc))).code, 'Unavailable');
  assert.equal(passedOn, 401);
});

test('[R10.8] nodes whose protocols differ by one understand each other; with a difference of two they report it', async (t) => {
  assert.ok(areCompatible(rpcProtocol, rpcProtocol + 1));
  assert.ok(!areCompatible(rpcProtocol, rpcProtocol + 2));
  const { nodeAuthenticator, north } = await pair(t);
  const asked = { method: 'GET', path: '/link/alive', body: noBytes, channel: noBytes };
  const admit = (protocol: number) => {
    const claim = {
      protocol,
      from: 'north',
      to: 'south',
      timeMs: timeOf(nodeAuthenticator),
      nonce: `p${protocol}`,
    };
    return nodeAuthenticator.admit(
      writeClaim({ ...claim, signature: base64url(north.sign(requestText(claim, asked))) }),
      asked,
    );
  };
  assert.equal((await admit(rpcProtocol + 1)).refusal, undefined);
  assert.equal((await faultOf(admit(rpcProtocol + 2))).code, 'ActionNotAcceptable');
});

test('[R10.8] an unreachable node counts as unavailable, immediately and for a moment', async (t) => {
  const { rpc, server } = await pair(t);
  await ask(rpc);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  assert.equal((await faultOf(ask(rpc))).code, 'Unavailable');
  assert.equal((await faultOf(ask(rpc))).code, 'Unavailable');
});

test('a stranger on the port gets no information', async (t) => {
  const { server } = await pair(t);
  const { port } = server.address() as AddressInfo;
  const reply = await new Promise<{ status?: number | undefined; proof: unknown }>((resolve) => {
    get(`http://127.0.0.1:${port}/link/alive`, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode, proof: answer.headers[proofHeader] });
    });
  });
  assert.deepEqual(reply, { status: 401, proof: undefined });
});
