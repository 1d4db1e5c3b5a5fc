import { Button } from '@mantine/core';
import IconCloudX from '@tabler/icons-react/dist/esm/icons/IconCloudX.mjs';
import { useI18n } from '../i18n/i18n-context.tsx';
import { PageState } from './page-state.tsx';

interface FailedStateProps {
  /** The reason, as text. */
  readonly text: string;
  readonly onRetry: () => void;
}

/** Replaces content that could not be loaded: the reason, and a retry button. */
export function FailedState({ text, onRetry }: FailedStateProps) {
  const i18n = useI18n();
  return (
    <PageState
      isInline
      icon={IconCloudX}
      title={i18n.t('state.failed.title')}
      text={text}
      action={
        <Button size="sm" variant="default" onClick={onRetry}>
          {i18n.t('action.retry')}
        </Button>
      }
    />
  );
}
