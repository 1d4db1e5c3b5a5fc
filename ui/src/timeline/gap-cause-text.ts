import type { GapCause } from '@vidette/contract/entities';
import type { I18n, MessageKey } from '../i18n/i18n.ts';

/** The text for the cause of a gap; `none` has none. */
const gapCauseText: Readonly<Record<Exclude<GapCause, 'none'>, MessageKey>> = {
  'before-recording': 'gap.cause.before-recording',
  waiting: 'gap.cause.waiting',
  unreachable: 'gap.cause.unreachable',
  'no-frames': 'gap.cause.no-frames',
  paused: 'gap.cause.paused',
  ended: 'gap.cause.ended',
  damaged: 'gap.cause.damaged',
  idle: 'gap.cause.idle',
  stopped: 'gap.cause.stopped',
  'source-changed': 'gap.cause.source-changed',
  'time-jump': 'gap.cause.time-jump',
  'clock-set': 'gap.cause.clock-set',
  'server-stopped': 'gap.cause.server-stopped',
  'server-crashed': 'gap.cause.server-crashed',
  'recording-off': 'gap.cause.recording-off',
  'disk-full': 'gap.cause.disk-full',
  'write-failed': 'gap.cause.write-failed',
  'write-too-slow': 'gap.cause.write-too-slow',
  'wrong-disk': 'gap.cause.wrong-disk',
  'disk-replaced': 'gap.cause.disk-replaced',
  'file-damaged': 'gap.cause.file-damaged',
  moved: 'gap.cause.moved',
  'node-away': 'gap.cause.node-away',
  drained: 'gap.cause.drained',
  removed: 'gap.cause.removed',
};

/** A gap as text: `3 min 12 s: camera unreachable`, or the first part alone if the cause is unknown. */
export function withCause(words: string, cause: GapCause | undefined, i18n: I18n): string {
  return withCauses(words, cause === undefined ? [] : [cause], i18n);
}

/** The same for several causes. */
export function withCauses(words: string, causes: readonly GapCause[], i18n: I18n): string {
  const known = causes.flatMap((cause) => (cause === 'none' ? [] : i18n.t(gapCauseText[cause])));
  return known.length === 0 ? words : `${words}: ${known.join(', ')}`;
}
