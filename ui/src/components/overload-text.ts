import { yieldOrder, type YieldingWork } from '@vidette/contract/overload';
import type { I18n, MessageKey } from '../i18n/i18n.ts';

const workKeys: Readonly<Record<YieldingWork, MessageKey>> = {
  exports: 'overload.exports',
  thumbnails: 'overload.thumbnails',
  transcoding: 'overload.transcoding',
  motion: 'overload.motion',
  'sub-streams': 'overload.subStreams',
  live: 'overload.live',
};

/** What waits or is reduced at a level of overload, in the order in which it began to. */
export function overloadText(level: number, i18n: I18n): string {
  return yieldOrder
    .slice(0, level)
    .map((work) => i18n.t(workKeys[work]))
    .join(', ');
}
