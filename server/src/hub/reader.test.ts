import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Reader, ReaderEvent } from './reader.ts';
import { frame, videoTrack } from './sample-fixture.ts';
import { Stream } from './stream.ts';

function drain(reader: Reader): ReaderEvent[] {
  const events: ReaderEvent[] = [];
  for (let event = reader.take(); event; event = reader.take()) events.push(event);
  return events;
}

function running(): Stream {
  const stream = new Stream('s');
  stream.setTracks([videoTrack]);
  return stream;
}

const types = (events: readonly ReaderEvent[]) => events.map(({ type }) => type);

test('a lagging reader is emptied, continues at a key frame, and receives the number of dropped samples', () => {
  const stream = running();
  const reader = stream.addReader({ name: 't', maxBytes: 1000, from: 'gop', onReadable() {} });
  stream.write(frame(0, { isKey: true }));
  for (let at = 1; at < 20; at++) stream.write(frame(at));
  assert.ok(reader.queuedBytes <= 1000);
  stream.write(frame(20, { isKey: true }));
  stream.write(frame(21));
  const events = drain(reader);
  assert.deepEqual(types(events), ['tracks', 'skipped', 'sample', 'sample']);
  assert.deepEqual(events[1], { type: 'skipped', samples: 20 });
  assert.equal(reader.skippedSamples, 20);
});

test('a key frame that finds the queue full restarts the reader immediately', () => {
  const stream = running();
  const reader = stream.addReader({ name: 't', maxBytes: 1000, from: 'gop', onReadable() {} });
  stream.write(frame(0, { isKey: true, size: 800 }));
  stream.write(frame(1, { isKey: true, size: 5000 }));
  const events = drain(reader);
  assert.deepEqual(types(events), ['tracks', 'skipped', 'sample']);
});

test('a source that keeps reconnecting does not fill the queue of a stuck reader', () => {
  const stream = new Stream('s');
  const reader = stream.addReader({ name: 't', maxBytes: 2000, from: 'gop', onReadable() {} });
  for (let at = 0; at < 500; at++) {
    stream.setTracks([videoTrack]);
    stream.write(frame(at, { isKey: true }));
    stream.pause('no-frames');
  }
  assert.ok(reader.queuedBytes <= 2000);
  const events = drain(reader);
  assert.equal(events.at(-1)?.type, 'pause');
  const lastTracks = events.findLast((event) => event.type === 'tracks');
  assert.equal(lastTracks?.generation, 500);
});

test('skipToNewestGop drops complete GOPs and keeps the events that the consumer needs', () => {
  const stream = running();
  const reader = stream.addReader({ name: 't', maxBytes: 1e6, from: 'gop', onReadable() {} });
  for (let at = 0; at < 25; at++) stream.write(frame(at, { isKey: at % 10 === 0 }));
  assert.equal(reader.waitingGops, 3);
  reader.skipToNewestGop();
  const events = drain(reader);
  assert.deepEqual(types(events.slice(0, 3)), ['tracks', 'skipped', 'sample']);
  assert.deepEqual(events[1], { type: 'skipped', samples: 20 });
  assert.equal(events.length, 7);
  assert.equal(reader.waitingGops, 0);
});

test('events queued from the start are announced after addReader has returned', async () => {
  const stream = running();
  stream.write(frame(0, { isKey: true }));
  const taken: ReaderEvent[] = [];
  const reader: Reader = stream.addReader({
    name: 't',
    maxBytes: 1e6,
    from: 'gop',
    onReadable: () => taken.push(...drain(reader)),
  });
  assert.equal(taken.length, 0);
  await Promise.resolve();
  assert.deepEqual(types(taken), ['tracks', 'sample']);
});

test('whatever is written and taken, no reader sees a delta frame without its GOP or exceeds its limit', () => {
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant('picture'), isKey: fc.boolean(), size: fc.nat(900) }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('take'), count: fc.nat(6) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('tracks', 'pause', 'skip') }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const stream = running();
      const reader = stream.addReader({ name: 't', maxBytes: 2000, from: 'gop', onReadable() {} });
      let isDecoding = false;
      let written = 0;
      let seen = 0;
      let lost = 0;
      let nextDts = -1;
      const look = (event: ReaderEvent | undefined) => {
        if (event?.type === 'tracks' || event?.type === 'skipped') isDecoding = false;
        if (event?.type === 'skipped') lost += event.samples;
        if (event?.type !== 'sample') return;
        seen++;
        isDecoding ||= event.startsGop;
        assert.ok(isDecoding, 'starts with a key frame');
        assert.ok(event.sample.dts > nextDts, 'in order');
        nextDts = event.sample.dts;
      };
      for (const each of steps) {
        if ('isKey' in each) {
          stream.write(frame(written++, each));
        } else if ('count' in each) {
          for (let at = 0; at < each.count; at++) look(reader.take());
        } else if (each.do === 'tracks') stream.setTracks([videoTrack]);
        else if (each.do === 'pause') stream.pause('no-frames');
        else reader.skipToNewestGop();
        assert.ok(reader.queuedBytes <= 2000 + 200);
      }
      for (const event of drain(reader)) look(event);
      assert.ok(seen + lost <= written);
      assert.equal(reader.queuedBytes, 0);
      assert.equal(reader.waitingGops, 0);
    }),
  );
});
