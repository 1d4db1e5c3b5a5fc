import { Button } from '@mantine/core';
import type { Session } from '@vidette/contract/entities';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import classes from './profile.module.css';
import { programOf } from '../../../base/user-agent.ts';

interface SessionItemProps {
  readonly session: Session;
  readonly isEnding: boolean;
  readonly onEnd: () => void;
}

/** One session: client, address, time last seen, and a button that ends it unless it is the current one. */
export function SessionItem({ session, isEnding, onEnd }: SessionItemProps) {
  const i18n = useI18n();
  const program = programOf(session.userAgent) ?? i18n.t('sessions.unknownBrowser');
  const lastSeen = session.isCurrent
    ? i18n.t('sessions.current')
    : i18n.t('sessions.lastSeen', { time: i18n.dateTime(session.lastSeenTime) });
  return (
    <li className={classes.item}>
      <div className={classes.itemText}>
        <div className={classes.itemName}>{program}</div>
        <div className={classes.itemNote}>
          {lastSeen} · {session.ip}
        </div>
      </div>
      {!session.isCurrent && (
        <Button size="sm" variant="default" loading={isEnding} onClick={onEnd}>
          {i18n.t('sessions.end')}
        </Button>
      )}
    </li>
  );
}
