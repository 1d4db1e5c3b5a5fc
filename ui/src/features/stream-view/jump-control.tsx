import { Button, Popover } from '@mantine/core';
import IconCalendarTime from '@tabler/icons-react/dist/esm/icons/IconCalendarTime.mjs';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type FormEvent } from 'react';
import { wholeDepthQuery } from '../streams/recorded-days-api.ts';
import { CalendarField } from '../../components/calendar/calendar-field.tsx';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Zone } from '../../timeline/zone.ts';
import { MomentField, type MomentEntry } from '../../timeline/react/moment-field.tsx';
import classes from './stream-view.module.css';

interface JumpControlProps {
  /** The stream whose recorded days the calendar marks; without one there is no calendar. */
  readonly uid?: string;
  /** The moment on screen, the initial value of the field. */
  readonly shownMs: () => number;
  readonly onJump: (utcMs: number) => void;
}

/** Jumps to a typed date and time, or to a day of the calendar, in the viewer's chosen zone [R5.3]. */
export function JumpControl({ uid, shownMs, onJump }: JumpControlProps) {
  const i18n = useI18n();
  const [openedMs, setOpenedMs] = useState<number>();
  const [entry, setEntry] = useState<MomentEntry>('empty');
  const [error, setError] = useState<string>();
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const isOpen = openedMs !== undefined;
  const close = () => setOpenedMs(undefined);
  const toggle = () => {
    setEntry(shownMs());
    setError(undefined);
    setOpenedMs(isOpen ? undefined : Date.now());
  };
  const jump = (utcMs: number) => {
    close();
    onJump(utcMs);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof entry !== 'number') return;
    if (entry > Date.now()) setError(i18n.t('player.jump.future'));
    else jump(entry);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={(opened) => !opened && close()}
      position="top"
      {...(uid === undefined ? {} : { width: 'min(49rem, 94vw)' })}
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <SignButton icon={IconCalendarTime} label={i18n.t('player.jump')} onClick={toggle} />
      </Popover.Target>
      <Popover.Dropdown>
        <form className={classes.jump} onSubmit={submit}>
          <MomentField
            label={i18n.t('player.jump.label')}
            ms={typeof entry === 'number' ? entry : undefined}
            zone={zone}
            error={error}
            onEntry={(typed) => {
              setEntry(typed);
              setError(undefined);
            }}
          />
          <Button type="submit" size="sm">
            {i18n.t('player.jump.go')}
          </Button>
        </form>
        {isOpen && uid !== undefined && <JumpDays uid={uid} zone={zone} nowMs={openedMs} onJump={jump} />}
      </Popover.Dropdown>
    </Popover>
  );
}

interface JumpDaysProps {
  readonly uid: string;
  readonly zone: Zone;
  readonly nowMs: number;
  readonly onJump: (utcMs: number) => void;
}

function JumpDays({ uid, zone, nowMs, onJump }: JumpDaysProps) {
  const i18n = useI18n();
  // The overview has requested it already.
  const { data: recorded } = useQuery(wholeDepthQuery(uid, zone.name, true));
  const today = zone.dayOf(nowMs);
  const first = recorded?.days[0] ?? today;
  return (
    <div className={classes.jumpDays} ref={showNewest}>
      <CalendarField
        key={first}
        label={i18n.t('player.jump.days')}
        min={first}
        max={today}
        maxRangeDays={1}
        marked={new Set(recorded?.days)}
        markedText={i18n.t('calendar.recorded')}
        onPeriod={({ start }) => onJump(zone.dayStartMs(start))}
      />
    </div>
  );
}

/** Where months are stacked, the newest are at the bottom. */
function showNewest(days: HTMLElement | null): void {
  if (days) days.scrollTop = days.scrollHeight;
}
