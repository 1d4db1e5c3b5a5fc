import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import type { ClusterInvitation } from '@vidette/contract/invitation';
import { useState } from 'react';
import { clusterInvitationsQuery, useAddInvitation, useDeleteInvitation } from './cluster-api.ts';
import { useSettings } from '../../api/session.ts';
import { notifyDone } from '../../page/notify.ts';
import { CopyLine } from '../../components/copy-line.tsx';
import { Notice } from '../../components/notice.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import classes from './cluster.module.css';

type Made = ReplyOf<'addClusterInvitation'>;

/** Adding another server [R10.8]: a code for one server, the command to run there, and the unused codes. */
export function Invitations() {
  const i18n = useI18n();
  const { data } = useQuery(clusterInvitationsQuery);
  const add = useAddInvitation();
  const [made, setMade] = useState<Made | null>(null);
  if (!data) return null;
  if (data.address === null) return <Notice>{i18n.t('cluster.invite.needsDatabase')}</Notice>;
  const isWaiting = made !== null && data.items.some(({ id }) => id === made.id);
  return (
    <section className={classes.node} aria-label={i18n.t('cluster.invite.heading')}>
      <header className={classes.head}>
        <h2 className={classes.name}>{i18n.t('cluster.invite.heading')}</h2>
        <Button
          size="sm"
          variant="default"
          loading={add.isPending}
          onClick={() => add.mutate(undefined, { onSuccess: setMade })}
        >
          {i18n.t('cluster.invite.add')}
        </Button>
      </header>
      <p className={classes.quiet}>{i18n.t('cluster.invite.text')}</p>
      {isWaiting && <Code made={made} />}
      {data.items.length > 0 && (
        <ul className={classes.invitations}>
          {data.items.map((invitation) => (
            <InvitationItem key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** The command to run on the new server. The code is shown nowhere else. */
function Code({ made }: { made: Made }) {
  const i18n = useI18n();
  const [name, setName] = useState('');
  const { command: program } = useSettings();
  const isName = /^[A-Za-z0-9._-]{1,64}$/.test(name);
  const command = `${program} join ${made.address} ${made.code} ${isName ? name : 'NAME'}`;
  return (
    <div className={classes.code} aria-live="polite">
      <TextInput
        size="sm"
        label={i18n.t('cluster.invite.name')}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        value={name}
        error={name !== '' && !isName ? i18n.t('cluster.invite.name.wrong') : null}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Notice>
        {i18n.t('cluster.invite.once', { time: i18n.time(made.expiresTime) })}
        <CopyLine label={i18n.t('cluster.invite.command')} text={command} />
      </Notice>
    </div>
  );
}

function InvitationItem({ invitation }: { invitation: ClusterInvitation }) {
  const i18n = useI18n();
  const withdraw = useDeleteInvitation();
  const { id, createdBy, expiresTime } = invitation;
  const by = createdBy ?? i18n.t('cluster.invite.byOperator');
  return (
    <li className={classes.invitation}>
      <span>{i18n.t('cluster.invite.until', { time: i18n.time(expiresTime), by })}</span>
      <Button
        size="sm"
        variant="default"
        loading={withdraw.isPending}
        onClick={() => notifyDone(withdraw.mutateAsync(id), i18n.t('cluster.invite.withdrawn'))}
      >
        {i18n.t('cluster.invite.withdraw')}
      </Button>
    </li>
  );
}
