import { Button } from '@mantine/core';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useQuery } from '@tanstack/react-query';
import type { NotificationFailure, NotificationTarget } from '@vidette/contract/notifications';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import { notifyDone, notifyError, notifySuccess } from '../../page/notify.ts';
import { useNavigate } from '../../routing/react/router-context.tsx';
import { ownEndpointQuery, useDeleteTarget, useTestTarget } from './notifications-api.ts';
import classes from './notifications.module.css';

/** The kinds of targets. */
export const targetTypeText: Record<NotificationTarget['type'], MessageKey> = {
  push: 'targets.type.push',
  webhook: 'targets.type.webhook',
  email: 'targets.type.email',
  mqtt: 'targets.type.mqtt',
};

const failureText: Record<NotificationFailure['code'], MessageKey> = {
  unreachable: 'target.failure.unreachable',
  reset: 'target.failure.reset',
  timeout: 'target.failure.timeout',
  tls: 'target.failure.tls',
  'address-forbidden': 'target.failure.address-forbidden',
  status: 'target.failure.status',
  redirect: 'target.failure.redirect',
  'mail-server': 'target.failure.mail-server',
  'not-configured': 'target.failure.not-configured',
  'broker-credentials': 'target.failure.broker-credentials',
  'broker-refused': 'target.failure.broker-refused',
  'secret-lost': 'target.failure.secret-lost',
  gone: 'target.failure.gone',
};

/** One target, its state, and a button that tests it. */
export function TargetItem({ target }: { target: NotificationTarget }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const remove = useDeleteTarget();
  const test = useTestTarget();
  const { id, name, type, waiting, dropped } = target;
  // Not a callback of `mutate`: the test of a browser that no longer exists removes this row.
  const runTest = () =>
    void test.mutateAsync(id).then(
      ({ failure }) =>
        failure === null
          ? notifySuccess(i18n.t('targets.tested'))
          : notifyError(name, i18n.t('notifications.test.refused', { reason: reasonText(failure, i18n) })),
      () => undefined,
    );
  const { data: endpoint } = useQuery(ownEndpointQuery);
  return (
    <li className={classes.item}>
      <div className={classes.itemText}>
        <div className={classes.itemName}>{name}</div>
        <p className={classes.sentence}>
          {i18n.t(targetTypeText[type])} · {addressText(target, endpoint, i18n)}
        </p>
        <TargetState target={target} />
        {(waiting > 0 || dropped > 0) && (
          <p className={classes.note}>
            {[
              ...(waiting > 0 ? [i18n.t('targets.waiting', { count: waiting })] : []),
              ...(dropped > 0 ? [i18n.t('targets.dropped', { count: dropped })] : []),
            ].join(' · ')}
          </p>
        )}
      </div>
      <div className={classes.actions}>
        <Button size="sm" variant="default" loading={test.isPending} onClick={runTest}>
          {i18n.t('targets.test')}
        </Button>
        <SignButton
          icon={IconPencil}
          label={i18n.t('targets.edit', { name })}
          onClick={() => void navigate({ to: '/notifications', search: { target: id } })}
        />
        <SignButton
          icon={IconTrash}
          label={i18n.t('targets.delete', { name })}
          isDisabled={remove.isPending}
          onClick={() => notifyDone(remove.mutateAsync(id), i18n.t('targets.deleted'))}
        />
      </div>
    </li>
  );
}

function TargetState({ target }: { target: NotificationTarget }) {
  const i18n = useI18n();
  const { failingSince, failure, nextAttemptAt, acceptedAt } = target;
  if (failingSince !== null && failure !== null) {
    const values = { time: i18n.dateTime(failingSince), reason: reasonText(failure, i18n) };
    return (
      <>
        <p className={classes.failing}>{i18n.t('targets.state.failing', values)}</p>
        {nextAttemptAt !== null && (
          <p className={classes.note}>{i18n.t('targets.state.retry', { time: i18n.time(nextAttemptAt) })}</p>
        )}
      </>
    );
  }
  return (
    <p className={classes.note}>
      {acceptedAt === null
        ? i18n.t('targets.state.unused')
        : i18n.t('targets.state.accepted', { time: i18n.dateTime(acceptedAt) })}
    </p>
  );
}

function reasonText({ code, status }: NotificationFailure, i18n: I18n): string {
  return i18n.t(failureText[code], { status: status ?? '' });
}

/** Where a target is. @param ownEndpoint of this browser */
function addressText(
  { settings, createdAt }: NotificationTarget,
  ownEndpoint: string | null | undefined,
  i18n: I18n,
): string {
  switch (settings.type) {
    case 'webhook':
      return hostOf(settings.url);
    case 'email':
      return settings.to.join(', ');
    case 'push': {
      const { endpoint, quietHours: quiet } = settings;
      const device =
        endpoint === ownEndpoint
          ? i18n.t('targets.push.own')
          : i18n.t('targets.push.added', { time: i18n.dateTime(createdAt) });
      if (quiet === null) return device;
      return `${device} · ${i18n.t('targets.push.quiet', { from: quiet.from, to: quiet.to })}`;
    }
    case 'mqtt':
      return settings.topic;
  }
}

/** Without the path, which often contains a secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
