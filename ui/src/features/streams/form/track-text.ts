import type { ReplyOf } from '@vidette/contract/client';
import type { I18n } from '../../../i18n/i18n.ts';
import { codecName } from '../../../playback/codec-name.ts';

type ProbedTrack = ReplyOf<'probeStream'>['tracks'][number];

/** A track in words: its codec, and the size of its frames or its sample rate. */
export function trackText(
  {
    codecString,
    width,
    height,
    sampleRate,
  }: Pick<ProbedTrack, 'codecString' | 'width' | 'height' | 'sampleRate'>,
  i18n: I18n,
): string {
  const codec = codecName(codecString);
  if (width && height) return i18n.t('probe.video', { codec, width: String(width), height: String(height) });
  if (!sampleRate) return codec;
  const rate = i18n.number(sampleRate / 1000, { maximumFractionDigits: 1 });
  return i18n.t('probe.audio', { codec, rate });
}

/** The same for a track of a running stream, whose figures are in a text: `1920x1080`, `48000 Hz, 2`. */
export function runningTrackText(
  { codecString, description }: ReplyOf<'getStreamStats'>['tracks'][number],
  i18n: I18n,
): string {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(description) ?? [];
  const [, rate] = /^(\d+) Hz/.exec(description) ?? [];
  const figures = { width: Number(width ?? 0), height: Number(height ?? 0), sampleRate: Number(rate ?? 0) };
  return trackText({ codecString, ...figures }, i18n);
}
