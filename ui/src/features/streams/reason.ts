import type { Stream } from '@vidette/contract/entities';
import type { I18n } from '../../i18n/i18n.ts';

/** Why a stream has no live video, as text; null while it has. */
export function reasonOf(
  stream: Pick<Stream, 'status' | 'failureReason' | 'live' | 'node'>,
  i18n: I18n,
): string | null {
  if (!stream.node.available) return i18n.t('streams.reason.node');
  switch (stream.status) {
    case 'running':
      return null;
    case 'pending':
      return i18n.t(stream.live.onDemand ? 'streams.reason.onDemand' : 'streams.reason.pending');
    case 'failed':
      return stream.failureReason ?? i18n.t('streams.reason.failed');
    case 'paused':
      return i18n.t('streams.reason.paused');
    case 'disabled':
      return i18n.t('streams.reason.disabled');
  }
}
