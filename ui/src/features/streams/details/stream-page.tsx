import { Button } from '@mantine/core';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import type { Stream } from '@vidette/contract/entities';
import type { ReactNode } from 'react';
import { usePauseStream, useStream } from '../streams-api.ts';
import { codeOf, textOf } from '../../../page/failures.ts';
import { ForbiddenScreen } from '../../../components/fallback-screens.tsx';
import { StreamClock } from '../stream-clock.tsx';
import { usePageTitle } from '../../../page/title.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { StreamStatus } from '../stream-status.tsx';
import { TabbedPage } from '../../../components/tabbed-page.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { Link } from '../../../routing/react/link.tsx';
import { useParams } from '../../../routing/react/router-context.tsx';

/** The pages about one stream [R2.9, R2.27]: its name, its state, its actions, and its tabs. */
export function StreamPage({ children }: { children: ReactNode }) {
  const i18n = useI18n();
  const { uid } = useParams({ from: '/stream/$uid' });
  const query = useStream(uid);
  usePageTitle(query.data?.name);
  // Even while the stream is still cached: a revoked right closes the page.
  if (query.error && codeOf(query.error) === 'Forbidden') {
    return <ForbiddenScreen message={textOf(query.error, i18n)} />;
  }
  return (
    <Loaded query={query} skeletonPx={280}>
      {(stream) => (
        <TabbedPage
          title={stream.name}
          aside={<StreamStatus status={stream.status} isOnDemand={stream.live.onDemand} />}
          actions={<StreamActions stream={stream} />}
          tabs={<StreamTabs stream={stream} />}
        >
          <StreamClock stream={stream}>{children}</StreamClock>
        </TabbedPage>
      )}
    </Loaded>
  );
}

function StreamTabs({ stream: { uid, canEdit } }: { stream: Stream }) {
  const i18n = useI18n();
  return (
    <>
      <Link to="/stream/$uid/info" params={{ uid }}>
        {i18n.t('tab.info')}
      </Link>
      {canEdit && (
        <>
          <Link to="/stream/$uid/setting" params={{ uid }}>
            {i18n.t('tab.setting')}
          </Link>
          <Link to="/stream/$uid/permission" params={{ uid }}>
            {i18n.t('tab.permission')}
          </Link>
          <Link to="/stream/$uid/debug" params={{ uid }}>
            {i18n.t('tab.debug')}
          </Link>
        </>
      )}
    </>
  );
}

function StreamActions({ stream }: { stream: Stream }) {
  const i18n = useI18n();
  const pause = usePauseStream();
  const isPaused = stream.status === 'paused';
  return (
    <>
      {stream.canEdit && stream.status === 'failed' && (
        <Button
          size="sm"
          variant="default"
          renderRoot={(props) => (
            <Link to="/stream/$uid/setting" params={{ uid: stream.uid }} search={{ test: true }} {...props} />
          )}
        >
          {i18n.t('probe.test')}
        </Button>
      )}
      {stream.canEdit && (
        <Button
          size="sm"
          variant="default"
          loading={pause.isPending}
          leftSection={
            isPaused ? (
              <IconPlayerPlay size={16} aria-hidden="true" />
            ) : (
              <IconPlayerPause size={16} aria-hidden="true" />
            )
          }
          onClick={() => pause.mutate({ uid: stream.uid, isPaused })}
        >
          {i18n.t(isPaused ? 'streams.resume' : 'streams.pause')}
        </Button>
      )}
      <Button
        size="sm"
        renderRoot={(props) => <Link to="/stream/$uid/view" params={{ uid: stream.uid }} {...props} />}
      >
        {i18n.t('streams.watch')}
      </Button>
    </>
  );
}
