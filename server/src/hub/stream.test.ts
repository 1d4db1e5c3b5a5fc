import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader, ReaderEvent } from './reader.ts';
import { audioTrack, frame, audio, videoTrack } from './sample-fixture.ts';
import { Stream } from './stream.ts';

function drain(reader: Reader): ReaderEvent[] {
  const events: ReaderEvent[] = [];
  for (let event = reader.take(); event; event = reader.take()) events.push(event);
  return events;
}

const open = (stream: Stream, from: 'gop' | 'next-key' = 'gop') =>
  stream.addReader({ name: 't', maxBytes: 1e6, from, onReadable() {} });
const types = (events: readonly ReaderEvent[]) => events.map(({ type }) => type);

test('a reader that joins late immediately gets the parameters and the GOP so far', () => {
  const stream = new Stream('s');
  stream.setTracks([videoTrack, audioTrack]);
  stream.write(frame(0, { isKey: true }));
  stream.write(frame(1));
  stream.write(frame(2, { isKey: true }));
  stream.write(audio(0));
  stream.write(frame(3));
  const events = drain(open(stream));
  assert.deepEqual(types(events), ['tracks', 'sample', 'sample', 'sample']);
  assert.equal(events[1]?.type === 'sample' && events[1].startsGop, true);
});

test("'next-key' starts with new samples only", () => {
  const stream = new Stream('s');
  stream.setTracks([videoTrack]);
  stream.write(frame(0, { isKey: true }));
  const reader = open(stream, 'next-key');
  stream.write(frame(1));
  stream.write(frame(2, { isKey: true }));
  assert.deepEqual(types(drain(reader)), ['tracks', 'sample']);
});

test('with a GOP too long to buffer late readers wait for the next key frame instead of starting in its middle', () => {
  const stream = new Stream('s', { gopMaxBytes: 250 });
  stream.setTracks([videoTrack]);
  stream.write(frame(0, { isKey: true }));
  for (let at = 1; at < 5; at++) stream.write(frame(at));
  assert.equal(stream.gop.length, 0);
  const reader = open(stream);
  stream.write(frame(5));
  assert.deepEqual(types(drain(reader)), ['tracks']);
  stream.write(frame(6, { isKey: true }));
  assert.deepEqual(types(drain(reader)), ['sample']);
});

test('samples before the first key frame with new parameters reach no reader', () => {
  const stream = new Stream('s');
  const reader = open(stream);
  stream.setTracks([videoTrack, audioTrack]);
  stream.write(frame(0));
  stream.write(audio(0));
  stream.write(frame(1, { isKey: true }));
  stream.setTracks([videoTrack]);
  stream.write(frame(2));
  stream.write(frame(3, { isKey: true }));
  const events = drain(reader);
  assert.deepEqual(types(events), ['tracks', 'sample', 'tracks', 'sample']);
  assert.equal(events[2]?.type === 'tracks' && events[2].generation, 2);
});

test('an audio-only stream flows without key frames', () => {
  const stream = new Stream('s');
  const reader = open(stream);
  stream.setTracks([audioTrack]);
  stream.write(audio(0));
  stream.write(audio(1));
  assert.deepEqual(types(drain(reader)), ['tracks', 'sample', 'sample']);
});

test('pause reaches every reader once for each cause, the end once, and nothing follows it', () => {
  const stream = new Stream('s');
  const reader = open(stream);
  stream.setTracks([videoTrack]);
  stream.pause('unreachable');
  stream.pause('unreachable');
  stream.pause('no-frames');
  stream.write(frame(0, { isKey: true }));
  stream.end('removed');
  stream.end('again');
  stream.setTracks([videoTrack]);
  assert.deepEqual(drain(reader), [
    { type: 'tracks', generation: 1, tracks: [videoTrack] },
    { type: 'pause', cause: 'unreachable' },
    { type: 'pause', cause: 'no-frames' },
    { type: 'end', cause: 'removed' },
  ]);
  assert.equal(stream.readerCount, 0);
  assert.deepEqual(types(drain(open(stream))), ['end']);
});

test('a closed reader receives nothing more and costs the stream nothing', () => {
  const stream = new Stream('s');
  stream.setTracks([videoTrack]);
  const reader = open(stream);
  reader.close();
  reader.close();
  stream.write(frame(0, { isKey: true }));
  assert.equal(reader.take(), undefined);
  assert.equal(stream.readerCount, 0);
});

test('counters distinguish frames, key frames, audio and damaged samples', () => {
  const stream = new Stream('s');
  stream.setTracks([videoTrack, audioTrack]);
  stream.write(frame(0, { isKey: true }));
  stream.write({ ...frame(1), isDamaged: true });
  stream.write(audio(0));
  assert.deepEqual(stream.counters, {
    videoSamples: 2,
    audioSamples: 1,
    bytes: 220,
    keySamples: 1,
    damagedSamples: 1,
    lostPackets: 0,
  });
});

test('a stream tolerates latency once its video has started, as long as all its readers do', () => {
  const stream = new Stream('s');
  let hurries = 0;
  const cancel = stream.onLowLatencyReader(() => hurries++);
  const add = (toleratesLatency: boolean) =>
    stream.addReader({ name: 't', maxBytes: 1e6, from: 'gop', toleratesLatency, onReadable() {} });
  add(true);
  stream.setTracks([videoTrack]);
  assert.equal(stream.toleratesLatency, false, 'before the first frame');
  stream.write(frame(0, { isKey: true }));
  assert.equal(stream.toleratesLatency, true);
  const viewer = add(false);
  assert.deepEqual([stream.toleratesLatency, hurries], [false, 1]);
  viewer.close();
  add(true);
  assert.deepEqual([stream.toleratesLatency, hurries], [true, 1]);
  cancel();
  open(stream);
  assert.deepEqual(
    [stream.toleratesLatency, hurries],
    [false, 1],
    'readers do not tolerate latency unless they say so',
  );
});
