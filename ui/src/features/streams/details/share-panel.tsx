import type { Stream } from '@vidette/contract/entities';
import { Button, Switch } from '@mantine/core';
import { Suspense } from 'react';
import { useRevokeShare, useSaveShare, type ShownShare, type StreamShare } from './share-api.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { CopyLine } from '../../../components/copy-line.tsx';
import { FormSection } from '../../../components/form.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import classes from './share-panel.module.css';
import { lazyPart } from '../../../page/lazy-part.ts';

const QrCode = lazyPart(() => import('./qr-code.tsx').then((module) => module.QrCode));

interface SharePanelProps {
  readonly stream: Stream;
  readonly shown: ShownShare;
}

/** The public link of a stream: shown on request, copied, embedded, revoked. */
export function SharePanel({ stream: { uid, name, isPublic }, shown }: SharePanelProps) {
  const i18n = useI18n();
  const { share, isPending, show, change } = shown;
  return (
    <div className={classes.panel}>
      <FormSection title={i18n.t('share.title')} text={i18n.t('share.text')}>
        {share ? (
          <Link uid={uid} name={name} share={share} onChange={change} />
        ) : (
          <Button className={classes.own} size="sm" variant="default" loading={isPending} onClick={show}>
            {i18n.t(isPublic ? 'share.show' : 'share.create')}
          </Button>
        )}
      </FormSection>
    </div>
  );
}

interface ShareLinkProps {
  readonly uid: string;
  readonly name: string;
  readonly share: StreamShare;
  /** Called with the changed link; null once it is revoked. */
  readonly onChange: (share: StreamShare | null) => void;
}

function Link({ uid, name, share, onChange }: ShareLinkProps) {
  const i18n = useI18n();
  const save = useSaveShare(uid);
  const revoke = useRevokeShare(uid);
  const frame = `<iframe src="${share.url}" width="640" height="360" allow="autoplay; fullscreen" frameborder="0"></iframe>`;
  return (
    <div className={classes.link}>
      <CopyLine label={i18n.t('share.link')} text={share.url} />
      <Suspense fallback={<div className={classes.code} />}>
        <div className={classes.code}>
          <QrCode text={share.url} label={i18n.t('share.qr', { name })} />
        </div>
      </Suspense>
      <Switch
        label={i18n.t('share.embed')}
        description={i18n.t('share.embed.help')}
        checked={share.isEmbeddable}
        disabled={save.isPending}
        onChange={(event) => save.mutate(event.currentTarget.checked, { onSuccess: onChange })}
      />
      {share.isEmbeddable && <CopyLine label={i18n.t('share.frame')} text={frame} />}
      <Button
        className={classes.own}
        size="sm"
        variant="outline"
        color="red"
        loading={revoke.isPending}
        onClick={() =>
          revoke.mutate(undefined, {
            onSuccess: () => {
              onChange(null);
              notifySuccess(i18n.t('share.revoked'));
            },
          })
        }
      >
        {i18n.t('share.revoke')}
      </Button>
    </div>
  );
}
