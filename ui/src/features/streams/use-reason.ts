import type { Stream } from '@vidette/contract/entities';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { useIsServerLost } from '../../page/page-context.tsx';
import { reasonOf } from './reason.ts';

/**
 * Why a stream has no live video, as text; null while it has. Null also while the server doesn't answer: its state is
 * unknown then, and so is the reason.
 */
export function useReason(stream: Pick<Stream, 'status' | 'failureReason' | 'live' | 'node'>): string | null {
  const i18n = useI18n();
  const isServerLost = useIsServerLost();
  return isServerLost ? null : reasonOf(stream, i18n);
}
