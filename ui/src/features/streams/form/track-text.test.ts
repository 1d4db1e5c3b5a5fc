import assert from 'node:assert/strict';
import { test } from 'node:test';
import { en } from '../../../i18n/en/all.ts';
import { I18n } from '../../../i18n/i18n.ts';
import { ru } from '../../../i18n/ru/all.ts';
import { runningTrackText, trackText } from './track-text.ts';

const english = new I18n('en', en);
const russian = new I18n('ru', ru);

test('a track is told by its codec and its figures, in the language of the reader', () => {
  const none = { width: null, height: null, sampleRate: null };
  const video = { ...none, codecString: 'avc1.64001f', width: 1920, height: 1080 };
  assert.equal(trackText(video, english), 'H.264, 1920 × 1080');
  const audio = { ...none, codecString: 'mp4a.40.2', sampleRate: 44_100 };
  assert.equal(trackText(audio, russian), 'AAC, 44,1\u00a0кГц');
  assert.equal(trackText({ ...none, codecString: 'hvc1.1.6.L93.B0' }, english), 'H.265');
});

test('a track of a running stream is told as a probed one', () => {
  const told = (kind: string, codecString: string, description: string) =>
    runningTrackText({ kind, codecString, description }, russian);
  assert.equal(told('video', 'hev1.1.6.L93.B0', '1280x720'), 'H.265, 1280 × 720');
  assert.equal(told('audio', 'opus', '48000 Hz, 2'), 'Opus, 48\u00a0кГц');
  assert.equal(told('video', 'xyz', 'something new'), 'xyz');
});
