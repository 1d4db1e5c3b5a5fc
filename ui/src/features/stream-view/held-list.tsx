import { Button, Popover } from '@mantine/core';
import IconLock from '@tabler/icons-react/dist/esm/icons/IconLock.mjs';
import type { FootageHold } from '@vidette/contract/entities';
import { useState } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { notifySuccess } from '../../page/notify.ts';
import { useReleaseHold } from './holds-api.ts';
import classes from './held-list.module.css';

interface HeldListProps {
  readonly holds: readonly FootageHold[];
  readonly uid: string;
  /** Whether the user may release them. */
  readonly mayRelease: boolean;
  readonly onGo: (utcMs: number) => void;
}

/** The footage of a stream that rules hold: how much, and on request until when and by which rule. */
export function HeldList({ holds, uid, mayRelease, onGo }: HeldListProps) {
  const i18n = useI18n();
  const [isOpen, setOpen] = useState(false);
  const release = useReleaseHold(uid);
  const end = (id: number | 'all') =>
    release.mutate(id, { onSuccess: () => notifySuccess(i18n.t('hold.released')) });
  const go = (utcMs: number) => {
    setOpen(false);
    onGo(utcMs);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="top-start"
      width="min(30rem, 92vw)"
      withinPortal={false}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <button type="button" className={classes.open} onClick={() => setOpen(!isOpen)}>
          <IconLock size={14} aria-hidden />
          {i18n.t('hold.list', { count: holds.length })}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <ul className={classes.list}>
          {holds.map((hold) => (
            <li key={hold.id} className={classes.entry}>
              <HeldSpan hold={hold} onGo={go} />
              {mayRelease && (
                <Button
                  className={classes.release}
                  size="compact-sm"
                  variant="default"
                  aria-label={i18n.t('hold.release.label', { time: i18n.dateTime(hold.startTime) })}
                  disabled={release.isPending}
                  onClick={() => end(hold.id)}
                >
                  {i18n.t('hold.release')}
                </Button>
              )}
            </li>
          ))}
        </ul>
        {mayRelease && holds.length > 1 && (
          <Button size="compact-sm" variant="default" disabled={release.isPending} onClick={() => end('all')}>
            {i18n.t('hold.releaseAll')}
          </Button>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function HeldSpan({ hold, onGo }: { hold: FootageHold; onGo: (utcMs: number) => void }) {
  const i18n = useI18n();
  const { startTime, endTime, heldUntil, rule } = hold;
  return (
    <button type="button" className={classes.go} onClick={() => onGo(startTime)}>
      <span className={classes.time}>
        {i18n.dateTime(startTime)} · {i18n.duration(endTime - startTime)}
      </span>
      <span>{i18n.t('hold.until', { time: i18n.dateTime(heldUntil), rule })}</span>
    </button>
  );
}
