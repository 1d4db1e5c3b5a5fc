import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { textOf } from '../page/failures.ts';
import { useI18n } from '../i18n/i18n-context.tsx';
import { Delayed } from './delayed.tsx';
import { FailedState } from './failed-state.tsx';

interface LoadedProps<Data> {
  /** As the query library provides it; existing data stays, whatever the result of a refetch. */
  readonly query: {
    readonly data: Data | undefined;
    readonly error: Error | null;
    readonly refetch: () => Promise<unknown>;
  };
  /** Height of the content to come. */
  readonly skeletonPx: number;
  /** A failure that the screen displays itself; null for any other. */
  readonly onError?: (error: Error) => ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** The loaded content, its skeleton while it loads, or the reason why it failed. */
export function Loaded<Data>({ query, skeletonPx, onError, children }: LoadedProps<Data>) {
  const i18n = useI18n();
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error) {
    return onError?.(error) ?? <FailedState text={textOf(error, i18n)} onRetry={() => void refetch()} />;
  }
  return (
    <Delayed>
      <Skeleton height={skeletonPx} radius={10} />
    </Delayed>
  );
}
