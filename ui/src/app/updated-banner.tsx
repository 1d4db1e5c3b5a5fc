import { Button } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { Banner } from '../components/banner.tsx';
import { useI18n } from '../i18n/i18n-context.tsx';
import { pageVersion } from '../page/page-version.ts';

/** Offers to reload the page when a part of it can't be loaded because the server has another version of it. */
export function UpdatedBanner() {
  const i18n = useI18n();
  const isReplaced = useSyncExternalStore(pageVersion.subscribe, pageVersion.isReplaced);
  return (
    <div role="status">
      {isReplaced && (
        <Banner kind="warning">
          <strong>{i18n.t('state.updated.title')}</strong>{' '}
          <Button size="compact-sm" variant="default" onClick={() => window.location.reload()}>
            {i18n.t('state.crashed.action')}
          </Button>
        </Banner>
      )}
    </div>
  );
}
