import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from './api.ts';
import { Nodes } from './nodes.ts';
import { footageIn } from './past-archive.ts';
import { recordPast } from './past-footage.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

// Two servers on one PostgreSQL, each with a part of the footage of one stream, which has moved between them.

const ids = ['north', 'south'];
const segmentMs = 10_000;
const apartMs = 600_000;
const segmentsEach = 5;
/** A pass of retention every ten seconds, on a busy machine. */
const waitMs = 60_000;

let postgres: TestPostgres;
let nodes: Nodes;
let uid: string;
/** When the oldest footage of each node begins, ms since the epoch. */
const begins = new Map<string, number>();

/** South recorded before north did; the newest footage is an hour old. */
function spansOf(id: string) {
  const newest = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
  const firstMs = newest - (id === 'south' ? 2 : 1) * segmentsEach * apartMs;
  return Array.from({ length: segmentsEach }, (_, index) => {
    const startMs = firstMs + index * apartMs;
    return { startMs, endMs: startMs + segmentMs };
  });
}

before(async () => {
  postgres = await startPostgres();
  nodes = await Nodes.start(await postgres.create('holds'), ids);
  ({ uid } = await nodes.client('north').addStream({
    body: { name: 'Gate', streamSource: 'demo:?fps=5', archive: { isEnable: false, depthHours: -1 } },
  }));
  await Promise.all(ids.map((id) => nodes.stop(id)));
  for (const id of ids) {
    const spans = spansOf(id);
    begins.set(id, spans[0]?.startMs ?? 0);
    await recordPast(nodes.folder(id), uid, spans);
  }
  await Promise.all(ids.map((id) => nodes.start(id)));
});

after(async () => {
  await nodes?.close();
  await postgres?.stop();
});

const folderOf = (id: string) => join(nodes.folder(id), 'archive', uid);

async function bytesOn(id: string): Promise<number> {
  const files = await footageIn(folderOf(id));
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folderOf(id), file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const setQuota = (id: string, quotaBytes: number) =>
  nodes.client(id).saveConfiguration({
    body: { values: { archive: { quotaBytes: Math.round(quotaBytes), holdPercent: 50 } } },
  });

test('[R11.5, R10.8] a rule that acts on one node holds the footage of all nodes, also of one that is killed, until another node releases it', async () => {
  const files = new Map<string, string[]>();
  for (const id of ids) files.set(id, await footageIn(folderOf(id)));
  assert.deepEqual(
    ids.map((id) => files.get(id)?.length),
    [segmentsEach, segmentsEach],
  );
  const north = nodes.client('north');
  const hold = { leadSeconds: 1, trailSeconds: 1, days: 30 };
  await north.addRule({ body: { name: 'Keep', kinds: ['annotation'], cooldownSeconds: 0, hold } });
  for (const id of ids)
    await north.addAnnotation({
      body: { streamId: uid, kind: 'plate', time: (begins.get(id) ?? 0) + 2_000 },
    });
  await nodes.kill('south');
  await nodes.start('south');
  assert.equal((await nodes.client('south').listHolds({ params: { uid } })).items.length, ids.length);

  for (const id of ids) {
    const [held = '', second = ''] = files.get(id) ?? [];
    await setQuota(id, 0.75 * (await bytesOn(id)));
    const left = await until(
      () => footageIn(folderOf(id)),
      ({ length }) => length < segmentsEach,
      waitMs,
    );
    assert.ok(left.includes(held) && !left.includes(second), `${id}: ${left.join(' ')}`);
  }

  await nodes.client('north').releaseHolds({ params: { uid } });
  for (const id of ids) {
    const [released = ''] = files.get(id) ?? [];
    await setQuota(id, 0.75 * (await bytesOn(id)));
    const left = await until(
      () => footageIn(folderOf(id)),
      (found) => !found.includes(released),
      waitMs,
    );
    assert.ok(left.length > 0, `${id}: what was not held any more is what is deleted first`);
  }
});
