import { Button } from '@mantine/core';
import IconSearchOff from '@tabler/icons-react/dist/esm/icons/IconSearchOff.mjs';
import { PageState } from '../../../components/page-state.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { StreamFilters } from './use-stream-filters.ts';

/** A list whose settings leave no stream, and how to see all of them. */
export function NothingFound({ filters: { choices, showAll } }: { filters: StreamFilters }) {
  const i18n = useI18n();
  return (
    <PageState
      isInline
      icon={IconSearchOff}
      title={i18n.t('streams.nothing.title')}
      text={i18n.t(choices.onlyAvailable ? 'streams.nothing.available' : 'streams.nothing.search')}
      action={
        <Button size="sm" variant="default" onClick={showAll}>
          {i18n.t('streams.nothing.showAll')}
        </Button>
      }
    />
  );
}
