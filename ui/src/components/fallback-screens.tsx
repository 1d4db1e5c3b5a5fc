import { Button, Skeleton } from '@mantine/core';
import IconError404 from '@tabler/icons-react/dist/esm/icons/IconError404.mjs';
import IconLock from '@tabler/icons-react/dist/esm/icons/IconLock.mjs';
import IconMoodWrrr from '@tabler/icons-react/dist/esm/icons/IconMoodWrrr.mjs';
import { useEffect } from 'react';
import { PageState } from './page-state.tsx';
import { useI18n } from '../i18n/i18n-context.tsx';
import { pageVersion } from '../page/page-version.ts';
import { Link } from '../routing/react/link.tsx';

// Screens shown instead of a screen: no such page, no right to it, failed, still loading.

function HomeButton() {
  const i18n = useI18n();
  return (
    <Button component={Link} to="/streams" size="sm" variant="default">
      {i18n.t('state.notFound.action')}
    </Button>
  );
}

/** No such page, or no such thing [R2.18]. */
export function NotFoundScreen() {
  const i18n = useI18n();
  return (
    <PageState
      icon={IconError404}
      title={i18n.t('state.notFound.title')}
      text={i18n.t('state.notFound.text')}
      action={<HomeButton />}
    />
  );
}

/** The user lacks the right to this screen [R2.31]. */
export function ForbiddenScreen({ message }: { message: string }) {
  const i18n = useI18n();
  return (
    <PageState
      icon={IconLock}
      title={message}
      text={i18n.t('state.forbidden.text')}
      action={<HomeButton />}
    />
  );
}

/**
 * A screen that failed to render; reloading the page is the only thing that can help. If the server has another version of the
 * page, that is why, and the page is reloaded without asking.
 */
export function CrashedScreen({ error }: { error: unknown }) {
  const i18n = useI18n();
  const isReplaced = pageVersion.isReplaced();
  useEffect(() => {
    if (isReplaced) window.location.reload();
  }, [isReplaced]);
  if (isReplaced) return <PendingScreen />;
  return (
    <PageState
      icon={IconMoodWrrr}
      title={i18n.t('state.crashed.title')}
      text={error instanceof Error ? error.message : String(error)}
      action={
        <Button size="sm" onClick={() => window.location.reload()}>
          {i18n.t('state.crashed.action')}
        </Button>
      }
    />
  );
}

/** A screen whose script is still loading. */
export function PendingScreen() {
  return (
    <div aria-busy="true">
      <Skeleton height={28} width={180} mb={20} />
      <Skeleton height={240} />
    </div>
  );
}
