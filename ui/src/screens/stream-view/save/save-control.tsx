import { Modal } from '@mantine/core';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import type { Stream } from '@vidette/contract/entities';
import { lazy, Suspense, useState } from 'react';
import { Delayed } from '../../../components/delayed.tsx';
import { SignButton } from '../../../components/sign-button.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Span } from './span.ts';

const SavePanel = lazy(() => import('./save-panel.tsx').then((module) => ({ default: module.SavePanel })));

interface SaveControlProps {
  readonly stream: Stream;
  /** The moment on screen, about which the span lies at first. */
  readonly shownMs: () => number;
}

const aroundMs = 5 * 60_000;

/** Opens what saves footage; it is fetched when it is asked for. */
export function SaveControl({ stream, shownMs }: SaveControlProps) {
  const i18n = useI18n();
  const [start, setStart] = useState<Span>();
  const open = () => {
    const ms = Math.floor(shownMs() / 1000) * 1000;
    setStart({ startMs: ms - aroundMs, endMs: Math.min(Date.now(), ms + aroundMs) });
  };
  return (
    <>
      <SignButton icon={IconDownload} label={i18n.t('save.open')} onClick={open} />
      <Modal
        opened={start !== undefined}
        onClose={() => setStart(undefined)}
        size="xl"
        title={i18n.t('save.title', { name: stream.name })}
      >
        <Suspense fallback={<Delayed>{i18n.t('save.measuring')}</Delayed>}>
          {start && <SavePanel stream={stream} start={start} />}
        </Suspense>
      </Modal>
    </>
  );
}
