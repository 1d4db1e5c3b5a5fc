import { Button } from '@mantine/core';
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCircle from '@tabler/icons-react/dist/esm/icons/IconCircle.mjs';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSettings } from '../../api/session.ts';
import { ConfigurationButton } from '../../components/configuration-button.tsx';
import { PageBar } from '../../components/page-bar.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { closeFirstSteps } from '../../page/first-steps.ts';
import { Link } from '../../routing/react/link.tsx';
import { useNavigate } from '../../routing/react/router-context.tsx';
import { serverStatsQuery } from '../administration/administration-api.ts';
import { streamsPageQuery } from '../streams/streams-api.ts';
import { rulesQuery } from '../notifications/notifications-api.ts';
import { usersQuery } from '../users/users-api.ts';
import { clockQuery } from './first-steps-api.ts';
import classes from './first-steps.module.css';

/** The checklist after the setup [R16.4]: what is needed for recordings that can be relied on. */
export function FirstStepsScreen() {
  const i18n = useI18n();
  const navigate = useNavigate();
  const finish = () => {
    closeFirstSteps(localStorage);
    void navigate({ to: '/streams' });
  };
  return (
    <>
      <PageBar title={i18n.t('title.firstSteps')} />
      <p>{i18n.t('firstSteps.text')}</p>
      <ol className={classes.steps}>
        <CamerasStep />
        <DiskStep />
        <TimeStep />
        <PeopleStep />
        <MailStep />
        <NotificationsStep />
      </ol>
      <Button size="sm" onClick={finish}>
        {i18n.t('firstSteps.finish')}
      </Button>
    </>
  );
}

/** Undefined while it is unknown. */
type StepState = 'open' | 'done' | 'wrong' | undefined;

interface StepProps {
  readonly state: StepState;
  readonly title: string;
  readonly text: string | undefined;
  readonly children?: ReactNode;
}

const signs = { open: IconCircle, done: IconCircleCheck, wrong: IconAlertTriangle } as const;
const stateText = { open: 'firstSteps.open', done: 'firstSteps.done', wrong: 'firstSteps.wrong' } as const;

function Step({ state, title, text, children }: StepProps) {
  const i18n = useI18n();
  const Sign = signs[state ?? 'open'];
  return (
    <li className={classes.step} data-state={state}>
      <Sign size={22} stroke={1.6} aria-hidden="true" className={classes.sign} />
      <div className={classes.words}>
        <h2>
          {title}
          {state && <span className="visually-hidden">{`: ${i18n.t(stateText[state])}`}</span>}
        </h2>
        <p>{text ?? '\u00a0'}</p>
      </div>
      {children}
    </li>
  );
}

function CamerasStep() {
  const i18n = useI18n();
  const { data } = useQuery(streamsPageQuery({ sortType: 'name' }, 1));
  const total = data?.total;
  return (
    <Step
      state={total === undefined ? undefined : total > 0 ? 'done' : 'open'}
      title={i18n.t('firstSteps.cameras')}
      text={total === undefined ? undefined : i18n.t('firstSteps.cameras.text', { count: total })}
    >
      <Button size="sm" variant="default" renderRoot={(props) => <Link to="/add-stream" {...props} />}>
        {i18n.t('nav.addStream')}
      </Button>
    </Step>
  );
}

/** Less free space than this share is a problem. */
const leastFree = 0.1;

function DiskStep() {
  const i18n = useI18n();
  const { data } = useQuery(serverStatsQuery);
  const { diskFreeBytes: free = null, diskTotalBytes: total = null } = data?.now ?? {};
  const isKnown = free !== null && total !== null;
  return (
    <Step
      state={isKnown ? (free / total >= leastFree ? 'done' : 'wrong') : undefined}
      title={i18n.t('firstSteps.disk')}
      text={
        isKnown
          ? i18n.t('firstSteps.disk.text', { free: i18n.bytes(free), total: i18n.bytes(total) })
          : undefined
      }
    >
      <ConfigurationButton />
    </Step>
  );
}

/** Clocks that differ by less play footage of the requested moment, ms. */
const sameMs = 3_000;

function TimeStep() {
  const i18n = useI18n();
  const { timeZone } = useSettings();
  const { data } = useQuery(clockQuery);
  const aheadMs = data?.aheadMs ?? undefined;
  const isRight = aheadMs !== undefined && Math.abs(aheadMs) < sameMs;
  const zone = timeZone ?? 'UTC';
  const text = isRight
    ? i18n.t('firstSteps.time.same', { zone })
    : i18n.t('firstSteps.time.differs', {
        zone,
        duration: i18n.duration(Math.round(Math.abs(aheadMs ?? 0) / 1000) * 1000),
      });
  return (
    <Step
      state={aheadMs === undefined ? undefined : isRight ? 'done' : 'wrong'}
      title={i18n.t('firstSteps.time')}
      text={aheadMs === undefined ? undefined : text}
    />
  );
}

function PeopleStep() {
  const i18n = useI18n();
  const { data } = useQuery(usersQuery({ page: 1, sortType: 'name', searchingValues: [] }));
  const others = data && data.total - 1;
  return (
    <Step
      state={others === undefined ? undefined : others > 0 ? 'done' : 'open'}
      title={i18n.t('firstSteps.people')}
      text={others === undefined ? undefined : i18n.t('firstSteps.people.text', { count: others })}
    >
      <Button size="sm" variant="default" renderRoot={(props) => <Link to="/user/add" {...props} />}>
        {i18n.t('title.userAdd')}
      </Button>
    </Step>
  );
}

function MailStep() {
  const i18n = useI18n();
  const { smtpServerEnabled } = useSettings();
  return (
    <Step
      state={smtpServerEnabled ? 'done' : 'open'}
      title={i18n.t('firstSteps.mail')}
      text={i18n.t(smtpServerEnabled ? 'firstSteps.mail.on' : 'firstSteps.mail.off')}
    >
      <ConfigurationButton />
    </Step>
  );
}

function NotificationsStep() {
  const i18n = useI18n();
  const { data } = useQuery(rulesQuery);
  const count = data?.items.length;
  return (
    <Step
      state={count === undefined ? undefined : count > 0 ? 'done' : 'open'}
      title={i18n.t('firstSteps.notifications')}
      text={count === undefined ? undefined : i18n.t('firstSteps.notifications.text', { count })}
    >
      <Button size="sm" variant="default" renderRoot={(props) => <Link to="/notifications" {...props} />}>
        {i18n.t('title.notifications')}
      </Button>
    </Step>
  );
}
