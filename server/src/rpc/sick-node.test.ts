import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { archiveOf, faultOf } from '../archive/fixtures/archive-fixture.ts';
import type { Archive } from '../archive/archive.ts';
import { footageStartMs } from '../archive/fixtures/footage-fixture.ts';
import { catalogTicks } from '../archive/segments/segments.ts';
import type { ManualClock } from '../base/manual-clock.ts';
import { turns } from '../base/until-fixture.ts';
import { FederatedArchive } from './federated-archive.ts';
import { pair, type PairOptions, type SignedReply } from './rpc-fixture.ts';
import { PeerArchive } from './peer-archive.ts';

// A node that authenticates, and whose answers are faulty. The stream's intact footage is here, on north.

const [startMs, movedMs, endMs] = [footageStartMs, footageStartMs + 6_000, footageStartMs + 12_000];
const uid = 'cam1';

type Respond = NonNullable<PairOptions['respond']>;

/** Cost and result of a call to a node whose archive is healthy, next to a faulty one. */
async function cluster(t: TestContext, respond: Respond, isThere?: () => boolean) {
  const { archive: local } = await archiveOf(t, [[0, 6_000]]);
  const paths: string[] = [];
  const { rpc, rpcClock } = await pair(t, {
    ...(isThere && { isThere }),
    respond(path, reply) {
      paths.push(path);
      respond(path, reply);
    },
  });
  const archiveReader = new FederatedArchive({
    self: 'north',
    local: local.reader,
    clock: rpcClock,
    assignmentsOf: async () => [
      { node: 'north', fromMs: startMs, toMs: movedMs },
      { node: 'south', fromMs: movedMs, toMs: null },
    ],
    peer: (node) => new PeerArchive(rpc, node, rpcClock),
    imported: local.imported,
    peerImports: { nodesWith: () => [], of: (node) => new PeerArchive(rpc, node, rpcClock, 'imported') },
    limits: { rangesMaxMs: 3_600_000, playlistMaxMs: 3_600_000, downloadMaxMs: 3_600_000 },
  });
  return { archiveReader, local, paths, rpcClock };
}

/** The result, and the time that passes meanwhile on the calling node's clock. */
async function timed<T>(clock: ManualClock, asked: Promise<T>): Promise<{ result: T; passedMs: number }> {
  let isOver = false;
  const over = asked.finally(() => (isOver = true));
  over.catch(() => undefined);
  const fromMs = clock.monotonicMs();
  for (;;) {
    // Calls without waiting complete before the clock moves.
    await turns(10, () => isOver);
    if (isOver) break;
    clock.advance(250);
  }
  return { result: await over, passedMs: clock.monotonicMs() - fromMs };
}

const json = (value: unknown): Respond => text(JSON.stringify(value));

function text(body: string): Respond {
  return (_, reply) => {
    reply.begin();
    reply.raw.end(body);
  };
}

const emptySlice = {
  segmentCount: 1,
  removedUntilTicks: 0,
  isLive: false,
  newestEndTicks: catalogTicks(endMs),
  segments: [],
  inits: {},
  interruptions: [],
  isCut: false,
};
const segmentOf = (fromTicks: number) => ({
  startTicks: fromTicks,
  endTicks: fromTicks + 1,
  bytes: 10,
  initId: 1,
  isOpen: false,
  entries: '',
});

/** Sends as long as the other side reads. */
const endless: Respond = (_, reply) => {
  reply.begin();
  reply.raw.write('{"segments":[');
  const piece = `${'0,'.repeat(32_768)}`;
  const more = () => {
    while (!reply.raw.destroyed && reply.raw.write(piece));
  };
  reply.raw.on('drain', more);
  more();
};

const fromOf = (path: string) => Number(new URL(path, 'http://south').searchParams.get('from') ?? 0);

const sicknesses: Record<string, Respond> = {
  nothing: json(null),
  'a list': json([]),
  'an object without members': json({}),
  'a text': json('footage'),
  'no JSON': text('{"segments":'),
  'nothing at all': text(''),
  'a list in a list, and so on': text('['.repeat(900_000)),
  'members of other kinds': json({ ...emptySlice, segments: [{ ...segmentOf(0), startTicks: '0' }] }),
  'times out of range': json({ ...emptySlice, segments: [{ ...segmentOf(0), endTicks: 1e300 }] }),
  'segments that end before they begin': json({
    ...emptySlice,
    segments: [{ ...segmentOf(9), endTicks: 3 }],
  }),
  'an index that is none': json({
    ...emptySlice,
    inits: { 1: 'AAAA' },
    segments: [{ ...segmentOf(catalogTicks(movedMs)), entries: '////' }],
  }),
  'an init that is none': json({
    ...emptySlice,
    inits: { 1: 'Z2FyYmFnZQ==' },
    segments: [{ ...segmentOf(catalogTicks(movedMs)), entries: '' }],
  }),
  'endless truncated slices, without progress': json({
    ...emptySlice,
    segments: [segmentOf(0)],
    isCut: true,
  }),
  'endless truncated slices, tick by tick': (path, reply) =>
    json({ ...emptySlice, segments: [segmentOf(fromOf(path))], isCut: true })(path, reply),
  'endless truncated slices, each of many segments': (path, reply) =>
    json({
      ...emptySlice,
      segments: Array.from({ length: 600 }, (_, index) => segmentOf(fromOf(path) + index)),
      isCut: true,
    })(path, reply),
  'a body without end': endless,
  'a body that stalls': (_, reply) => {
    reply.begin(200, { 'content-length': '1000' });
    reply.raw.write('{"segmentCount":');
  },
  'a head that never comes': () => {},
  'an error of its own': (_, reply) => {
    reply.begin(500);
    reply.raw.end('{"code":"InternalServerError"}');
  },
  'an error whose body stalls': (_, reply) => {
    reply.begin(500);
    reply.raw.write('{');
  },
  'that there is nothing': (_, reply) => {
    reply.begin(404);
    reply.raw.end('{"code":"NotFound"}');
  },
};

for (const [name, respond] of Object.entries(sicknesses)) {
  test(`[R10.8] a node that answers ${name} neither hides the footage of the others nor costs much time`, async (t) => {
    const { archiveReader, local, paths, rpcClock } = await cluster(t, respond);
    const isEmpty = name === 'that there is nothing';
    for (const round of [1, 2]) {
      const { result, passedMs } = await timed(rpcClock, archiveReader.ranges(uid, startMs, endMs));
      assert.deepEqual(result.ranges[0], { date: startMs, status: 'fragment' }, `round ${round}`);
      assert.ok(
        result.gaps.some(({ cause }) => cause === 'node-away'),
        JSON.stringify(result.gaps),
      );
      assert.ok(passedMs <= 12_000, `${passedMs} ms`);
      // It has just failed: no call waits for it again.
      if (round === 2 && !isEmpty) assert.ok(passedMs < 250, `${passedMs} ms`);
    }
    const coarse = await timed(rpcClock, archiveReader.coarseRanges(uid, startMs, endMs, 1));
    assert.ok(coarse.result.gaps.some(({ cause }) => cause === 'node-away'));
    const stats = (await timed(rpcClock, archiveReader.stats(uid))).result;
    assert.equal(stats.bytes, local.reader.stats(uid).bytes);
    assert.deepEqual(stats.withoutNodes, ['south']);
    const days = (await timed(rpcClock, archiveReader.recordedDays(uid, startMs, endMs, 0))).result;
    assert.equal(days.length, 1);
    rpcClock.advance(60_000);
    const playlist = (await timed(rpcClock, archiveReader.playlist(uid, startMs, endMs))).result;
    assert.match(playlist, /\.mp4/);
    assert.ok((await timed(rpcClock, archiveReader.download(uid, startMs, endMs))).result.contentLength > 0);
    assert.ok(paths.length < 500, `${paths.length} questions`);
  });
}

test('[R10.8] a node whose lease has expired is not called, and is called again as soon as it is back', async (t) => {
  let isThere = false;
  const { archiveReader, paths, rpcClock } = await cluster(t, json(emptySlice), () => isThere);
  const { result, passedMs } = await timed(rpcClock, archiveReader.ranges(uid, startMs, endMs));
  assert.ok(result.gaps.some(({ cause }) => cause === 'node-away'));
  assert.deepEqual([passedMs, paths], [0, []]);
  isThere = true;
  const { gaps } = (await timed(rpcClock, archiveReader.ranges(uid, startMs, endMs))).result;
  assert.ok(!gaps.some(({ cause }) => cause === 'node-away'));
});

/** A node whose catalog is healthy, and whose bytes are sent by `respondBytes`. */
function wellBut(archive: Archive, respondBytes: Respond): Respond {
  return (path, reply) => {
    const url = new URL(path, 'http://south');
    if (url.pathname.includes('/segment/') && !url.pathname.endsWith('/size')) {
      respondBytes(path, reply);
      return;
    }
    const answer = url.pathname.endsWith('/size')
      ? { size: 1_000_000, isGrowing: false }
      : archive.reader.slice(uid, {
          fromTicks: Number(url.searchParams.get('from')),
          toTicks: Number(url.searchParams.get('to')),
          withFragments: url.searchParams.get('fragments') === '1',
        });
    json(answer)(path, reply);
  };
}

const half = (reply: SignedReply, path: string): number => {
  const { searchParams } = new URL(path, 'http://south');
  const length = Number(searchParams.get('end')) - Number(searchParams.get('start')) + 1;
  reply.begin(200, { 'content-length': String(length) });
  reply.raw.write(Buffer.alloc(Math.floor(length / 2)));
  return length;
};

const brokenBodies: Record<string, Respond> = {
  'stall midway': (path, reply) => void half(reply, path),
  'break off midway': (path, reply) => {
    half(reply, path);
    setTimeout(() => reply.raw.destroy(), 5);
  },
  'never begin': () => {},
};

for (const [name, respondBytes] of Object.entries(brokenBodies)) {
  test(`[R10.8] bytes from another node that ${name} end the read within a defined time`, async (t) => {
    const { archive } = await archiveOf(t, [[6_000, 12_000]]);
    const { archiveReader, rpcClock } = await cluster(t, wellBut(archive, respondBytes));
    const playlist = (await timed(rpcClock, archiveReader.playlist(uid, startMs, endMs))).result;
    const names = [...playlist.matchAll(/segment\/(\S+)\.mp4/g)].map((match) => match[1] ?? '');
    const far = names.at(-1) ?? '';
    assert.notEqual(far.split('-')[1], names[0]?.split('-')[1]);
    const bytes = (await timed(rpcClock, archiveReader.openSegment(uid, far))).result;
    const read = async () => {
      for await (const _ of await bytes.stream(0, 99_999));
    };
    await assert.rejects(timed(rpcClock, read()), faultOf('Unavailable'));
    rpcClock.advance(60_000);
    const still = archiveReader.frameAt(uid, endMs - 1_500);
    await assert.rejects(timed(rpcClock, still), faultOf('Unavailable'));
  });
}

for (const version of ['this', 'an earlier']) {
  test(`[R10.8] [R7.13] coarse ranges of footage of two nodes, one of which has ${version} version`, async (t) => {
    const { archive } = await archiveOf(t, [
      [6_000, 8_000],
      [8_900, 10_000],
    ]);
    const { archiveReader, rpcClock, paths } = await cluster(t, (path, reply) => {
      const { searchParams } = new URL(path, 'http://south');
      const span = {
        fromTicks: Number(searchParams.get('from')),
        toTicks: Number(searchParams.get('to')),
        withFragments: false,
      };
      const joinTicks = Number(searchParams.get('join'));
      if (version === 'an earlier') json(archive.reader.slice(uid, span))(path, reply);
      else
        void archive.reader.anySlice(uid, { ...span, joinTicks }).then((slice) => json(slice)(path, reply));
    });
    const ranges = async (seconds: number) =>
      (await timed(rpcClock, archiveReader.coarseRanges(uid, startMs, startMs + 30 * 86_400_000, seconds)))
        .result;
    const { ranges: found, gaps } = await ranges(1_000);
    assert.deepEqual(found, [
      { date: startMs, status: 'fragment' },
      { date: startMs + 10_000, status: 'gap' },
    ]);
    assert.equal(gaps.length, 1);
    const { result: fine } = await timed(rpcClock, archiveReader.coarseRanges(uid, startMs, endMs, 1));
    // The gap of 0.9 s does not count, and what both nodes have is in one range.
    assert.deepEqual(fine.ranges, found);
    assert.ok(paths.every((path) => path.includes('join=')));
    assert.equal(paths.length, 2);
  });
}

test('[R10.8] a slow reader does not make the node count as silent', async (t) => {
  const { archive } = await archiveOf(t, [[6_000, 12_000]]);
  const respond = wellBut(archive, (path, reply) => {
    const { searchParams } = new URL(path, 'http://south');
    const length = Number(searchParams.get('end')) - Number(searchParams.get('start')) + 1;
    reply.begin(200, { 'content-length': String(length) });
    reply.raw.end(Buffer.alloc(length));
  });
  const { archiveReader, rpcClock } = await cluster(t, respond);
  const playlist = (await timed(rpcClock, archiveReader.playlist(uid, startMs, endMs))).result;
  const far = [...playlist.matchAll(/segment\/(\S+)\.mp4/g)].at(-1)?.[1] ?? '';
  const bytes = (await timed(rpcClock, archiveReader.openSegment(uid, far))).result;
  let count = 0;
  for await (const piece of await bytes.stream(0, 999_999)) {
    count += (piece as Buffer).length;
    await turns(10);
    rpcClock.advance(30_000);
  }
  assert.equal(count, 1_000_000);
});

test('a reader that leaves before the first byte of another node’s footage closes the connection', async (t) => {
  const { archive } = await archiveOf(t, [[6_000, 12_000]]);
  const left = Promise.withResolvers<void>();
  const respond = wellBut(archive, (path, reply) => {
    reply.raw.once('close', () => left.resolve());
    half(reply, path);
  });
  const { archiveReader, rpcClock } = await cluster(t, respond);
  const playlist = (await timed(rpcClock, archiveReader.playlist(uid, startMs, endMs))).result;
  const far = [...playlist.matchAll(/segment\/(\S+)\.mp4/g)].at(-1)?.[1] ?? '';
  const bytes = (await timed(rpcClock, archiveReader.openSegment(uid, far))).result;
  (await bytes.stream(0, 999_999)).destroy();
  await left.promise;
});
