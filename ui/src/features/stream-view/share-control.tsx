import { Modal } from '@mantine/core';
import IconShare from '@tabler/icons-react/dist/esm/icons/IconShare.mjs';
import type { Stream } from '@vidette/contract/entities';
import { lazy, Suspense, useState } from 'react';
import { Delayed } from '../../components/delayed.tsx';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';

const SharePanel = lazy(() =>
  import('../streams/details/share-panel.tsx').then((module) => ({ default: module.SharePanel })),
);

/** Opens the public link of the stream: copied, scanned as a QR code, embedded or revoked. */
export function ShareControl({
  stream,
  className,
}: {
  readonly stream: Stream;
  readonly className: string | undefined;
}) {
  const i18n = useI18n();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <SignButton
        icon={IconShare}
        label={i18n.t('player.share')}
        className={className}
        data-share=""
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={i18n.t('player.share.title', { name: stream.name })}
        closeButtonProps={{ 'aria-label': i18n.t('action.close') }}
      >
        <Suspense fallback={<Delayed>{i18n.t('wall.buffering')}</Delayed>}>
          <SharePanel stream={stream} />
        </Suspense>
      </Modal>
    </>
  );
}
