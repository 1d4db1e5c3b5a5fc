import type { WatchedMosaic } from '@vidette/contract/entities';
import type { I18n } from '../../../i18n/i18n.ts';
import { reasonOf } from '../../streams/reason.ts';

/** Why a stream of a wall has no live video, as text that fits a tile; undefined when it should have one. */
export function troubleOf(stream: WatchedMosaic['streams'][number], i18n: I18n): string | undefined {
  if (stream.status === 'paused') return i18n.t('wall.paused');
  // The stream is being watched: an on-demand one connects now.
  return reasonOf({ ...stream, live: { onDemand: false } }, i18n) ?? undefined;
}
