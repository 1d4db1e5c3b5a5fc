import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import { silentLog as log } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { AuditEvent } from '../system/audit-event.ts';
import { RecordingCommands } from './recording-commands.ts';
import { RetainedTopics } from './retained-topics.ts';
import { StillPublisher } from './still-publisher.ts';
import { StreamPublisher, type PublishedStream } from './stream-publisher.ts';
import { streamTopics, type TopicTree } from './topics.ts';

const tree: TopicTree = { base: 'v', discoveryPrefix: 'h', instance: '0', node: undefined };

function fakeSession() {
  const sent: { topic: string; payload: string | Uint8Array }[] = [];
  const publish = (topic: string, payload: string | Uint8Array) => {
    sent.push({ topic, payload });
    return Promise.resolve();
  };
  return { sent, retained: new RetainedTopics({ publish }) };
}

const streamOf = (uid: string): PublishedStream => ({
  ...{ uid, name: uid, area: '', status: 'running', reason: null },
  ...{ isRecorded: true, findsMotion: false },
});

/** Lets a turn of a publisher end: it does not depend on time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}

test('[R11.13] 200 streams per second are published, changed ones first, and nothing twice', async () => {
  const { sent, retained } = fakeSession();
  const clock = new ManualClock();
  const uids = Array.from({ length: 10_000 }, (_, index) => `s${index}`);
  const published = new StreamPublisher({
    ...{ retained, tree, clock, log, hasStills: true, discovery: () => undefined, isMoving: () => false },
    streams: {
      own: () => uids,
      read: (asked) => Promise.resolve(new Map(asked.map((uid) => [uid, streamOf(uid)]))),
    },
  });
  const states = () => sent.filter(({ topic }) => topic.endsWith('/state')).map(({ topic }) => topic);
  published.note('s9999');
  for (let turn = 0; turn < 10; turn++) {
    clock.advance(100);
    await settle();
  }
  assert.equal(states().length, 200);
  assert.equal(states()[0], streamTopics(tree, 's9999').state);
  const before = sent.length;
  published.note('s0');
  published.close();
  clock.advance(1_000);
  await settle();
  assert.equal(sent.length, before, 'a publisher that is closed publishes nothing');
});

test('[R11.13] a removed stream is cleared, one of another node is left alone', async () => {
  const { sent, retained } = fakeSession();
  const clock = new ManualClock();
  const published = new StreamPublisher({
    ...{ retained, tree, clock, log, hasStills: true, discovery: () => undefined, isMoving: () => false },
    streams: { own: () => [], read: () => Promise.resolve(new Map([['theirs', 'elsewhere' as const]])) },
  });
  published.note('gone');
  published.note('theirs');
  clock.advance(100);
  await settle();
  const { discovery, state, motion, still } = streamTopics(tree, 'gone');
  assert.deepEqual(
    sent,
    [discovery, state, motion, still].map((topic) => ({ topic, payload: '' })),
  );
  published.close();
});

test('[R11.13] stills: two per second, urgent ones first, only changed ones, of at most 256 KB', async () => {
  const { sent, retained } = fakeSession();
  const clock = new ManualClock();
  const bytes: Record<string, number> = { a: 262_144, b: 262_145, c: 10, d: 20 };
  const stills = new StillPublisher({
    ...{ retained, tree, clock, log, ageMs: 2_500, running: () => Object.keys(bytes) },
    render: (uid) => {
      if (uid === 'c') return Promise.reject(new Fault('Unavailable', 'no frame'));
      return Promise.resolve(new Uint8Array(bytes[uid] ?? 0));
    },
  });
  stills.wantSoon('d');
  stills.wantSoon('unknown');
  for (let turn = 0; turn < 10; turn++) {
    clock.advance(500);
    await settle();
  }
  // Each was rendered twice within five seconds; none has changed.
  assert.deepEqual(
    sent.map(({ topic }) => topic),
    ['d', 'a'].map((uid) => streamTopics(tree, uid).still),
  );
  stills.close();
});

test('[R11.13] a thousand commands wait, for each stream the newest, and what fails is in the audit log', async () => {
  const audited: AuditEvent[] = [];
  const switched: string[] = [];
  const done: string[] = [];
  let release = () => {};
  const isFree = new Promise<void>((resolve) => {
    release = resolve;
  });
  const commands = new RecordingCommands({
    ...{ log, isOwn: (uid) => uid !== 'theirs', broker: () => 'mqtt://broker' },
    setRecorded: async (uid, isRecorded) => {
      await isFree;
      switched.push(`${uid} ${isRecorded}`);
      if (uid === 's1') throw new Fault('LicenseExpired', 'expired');
      return uid === 's2' ? 'unchanged' : 'changed';
    },
    audit: (event) => audited.push(event),
    onDone: (uid) => done.push(uid),
  });
  const take = (uid: string, payload: string) => commands.take(uid, Buffer.from(payload));
  for (const payload of ['on', 'ON ', '', 'TOGGLE', 'ON'.repeat(1_000)]) take('s0', payload);
  take('theirs', 'ON');
  take('s0', 'ON');
  // The first one is being carried out.
  for (let index = 1; index <= 1_001; index++) take(`s${index}`, 'OFF');
  take('s3', 'ON');
  release();
  await settle();
  assert.equal(switched.length, 1_001);
  assert.deepEqual(switched.slice(0, 4), ['s0 true', 's1 false', 's2 false', 's3 true']);
  assert.equal(done.length, 1_001);
  assert.equal(audited.length, 1_000, 'what changes nothing is not recorded');
  assert.deepEqual(audited[0], {
    ...{ login: null, ip: '', action: 'mqttRecording', target: 's0', outcome: 'ok' },
    details: { broker: 'mqtt://broker', changes: { 'archive.isEnable': [false, true] } },
  });
  assert.equal(audited[1]?.outcome, 'LicenseExpired');
  await commands.close();
});
