import { Button, CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { HealthWarning } from '@vidette/contract/health';
import type { ReactNode } from 'react';
import { useUser } from '../../api/session.ts';
import { reasonOf } from '../../features/streams/reason.ts';
import { streamSummaryQuery } from '../../features/streams/streams-api.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import classes from './health.module.css';
import { isLoss, type Problem } from './problems.ts';
import { UseDisk } from './use-disk.tsx';
import { warningText } from '../../components/warning-text.ts';

interface HealthProblemProps {
  readonly problem: Problem;
  readonly onDismiss: (key: string) => void;
}

/** One problem: its subject, what is wrong, since when, and what can be done. */
export function HealthProblem({ problem, onDismiss }: HealthProblemProps) {
  const i18n = useI18n();
  const { key, warning, mayDismiss } = problem;
  const isOfStream = warning.code === 'stream-not-recording' || warning.code === 'stream-recorded-low';
  return (
    <li className={classes.problem} data-loss={isLoss(problem)}>
      <div className={classes.body}>
        {isOfStream && warning.subject !== null ? (
          <StreamProblem uid={warning.subject} warning={warning} />
        ) : (
          <OtherProblem warning={warning} />
        )}
      </div>
      {mayDismiss && (
        <CloseButton size="sm" onClick={() => onDismiss(key)} aria-label={i18n.t('action.dismiss')} />
      )}
    </li>
  );
}

function StreamProblem({ uid, warning }: { uid: string; warning: HealthWarning }) {
  const i18n = useI18n();
  const { data: stream } = useQuery(streamSummaryQuery(uid));
  const isNotRecorded = warning.code === 'stream-not-recording';
  const reason = isNotRecorded && stream ? reasonOf(stream, i18n) : null;
  return (
    <>
      <Link to="/stream/$uid/info" params={{ uid }} className={classes.subject}>
        {stream?.name ?? uid}
      </Link>
      <p>
        {warningText(warning, i18n)} {reason}
      </p>
      <Since warning={warning} />
      {stream?.canEdit && (
        <div className={classes.actions}>
          {isNotRecorded && (
            <ActionLink
              render={(props) => (
                <Link to="/stream/$uid/setting" params={{ uid }} search={{ test: true }} {...props} />
              )}
            >
              {i18n.t('probe.test')}
            </ActionLink>
          )}
          <ActionLink render={(props) => <Link to="/stream/$uid/setting" params={{ uid }} {...props} />}>
            {i18n.t('tab.setting')}
          </ActionLink>
        </div>
      )}
    </>
  );
}

function OtherProblem({ warning }: { warning: HealthWarning }) {
  const i18n = useI18n();
  const user = useUser();
  const screen = screens[warning.code];
  const to = user?.isAdmin || screen === '/notifications' ? screen : undefined;
  const mayUseDisk = user?.isAdmin === true && warning.subject === 'disk-empty';
  return (
    <>
      <p>{warningText(warning, i18n)}</p>
      <Since warning={warning} />
      {(to || mayUseDisk) && (
        <div className={classes.actions}>
          {mayUseDisk && <UseDisk />}
          {to && (
            <ActionLink render={(props) => <Link to={to} {...props} />}>{i18n.t('health.show')}</ActionLink>
          )}
        </div>
      )}
    </>
  );
}

/** Where a user sees more of a problem, or ends it; those of the administration are for administrators. */
const screens: Partial<Record<HealthWarning['code'], ProblemPath>> = {
  'license-expires': '/administration/license',
  'server-overloaded': '/administration/stats',
  'archive-disk-usage': '/administration/stats',
  'cluster-node-clock': '/administration/cluster',
  'tunnel-down': '/administration/tunnel',
  'far-archive': '/administration/stats',
  'trust-proxy': '/administration/config',
  'mqtt-down': '/administration/config',
  'target-failing': '/notifications',
};

type ProblemPath =
  | '/notifications'
  | '/administration/license'
  | '/administration/stats'
  | '/administration/cluster'
  | '/administration/tunnel'
  | '/administration/config';

interface ActionLinkProps {
  readonly render: (props: object) => ReactNode;
  readonly children: string;
}

function ActionLink({ render, children }: ActionLinkProps) {
  return (
    <Button size="compact-sm" variant="default" renderRoot={render}>
      {children}
    </Button>
  );
}

function Since({ warning: { since } }: { warning: HealthWarning }) {
  const i18n = useI18n();
  if (since === undefined) return null;
  return <p className={classes.since}>{i18n.t('health.since', { time: i18n.dateTime(since) })}</p>;
}
