import IconShare from '@tabler/icons-react/dist/esm/icons/IconShare.mjs';
import type { Stream } from '@vidette/contract/entities';
import { Suspense, useState } from 'react';
import { Delayed } from '../../components/delayed.tsx';
import { SignButton } from '../../components/sign-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { useShownShare } from '../streams/details/share-api.ts';
import { lazyPart } from '../../page/lazy-part.ts';

const SharePanel = lazyPart(() =>
  import('../streams/details/share-panel.tsx').then((module) => module.SharePanel),
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
  const shown = useShownShare(stream.uid);
  const open = () => {
    setOpen(true);
    // A link that exists is what the user came for; a new one is created only by its own button.
    if (stream.isPublic && !shown.share) shown.show();
  };
  return (
    <>
      <SignButton
        icon={IconShare}
        label={i18n.t('player.share')}
        className={className}
        data-share=""
        aria-haspopup="dialog"
        onClick={open}
      />
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={i18n.t('player.share.title', { name: stream.name })}
      >
        <Suspense fallback={<Delayed>{i18n.t('wall.buffering')}</Delayed>}>
          <SharePanel stream={stream} shown={shown} />
        </Suspense>
      </Dialog>
    </>
  );
}
