import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import type { Timeline } from '../timeline.ts';
import { GapsButton } from './gaps-button.tsx';
import classes from './timeline-navigation.module.css';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const hourBack = { byMs: -HOUR_MS, words: 'timeline.hour.back', sign: 'timeline.hour' } as const;
const minuteBack = { byMs: -MINUTE_MS, words: 'timeline.minute.back', sign: 'timeline.minute' } as const;
const minuteOn = { byMs: MINUTE_MS, words: 'timeline.minute.on', sign: 'timeline.minute' } as const;
const hourOn = { byMs: HOUR_MS, words: 'timeline.hour.on', sign: 'timeline.hour' } as const;
const events = {
  previous: 'timeline.event.previous',
  next: 'timeline.event.next',
} as const;
const gaps = {
  previous: 'timeline.gap.previous',
  next: 'timeline.gap.next',
} as const;

/** Buttons that step through the archive: an hour, a minute, from event to event, from gap to gap. */
export function TimelineNavigation({ timeline }: { timeline: Timeline }) {
  const i18n = useI18n();
  return (
    <div className={classes.navigation} role="group" aria-label={i18n.t('timeline.navigation')}>
      <Step timeline={timeline} {...hourBack} />
      <Step timeline={timeline} {...minuteBack} />
      <Pair {...events} onGo={(direction) => timeline.toEvent(direction)}>
        <span className={classes.words} data-mark="event">
          {i18n.t('timeline.events')}
        </span>
      </Pair>
      <Pair {...gaps} onGo={(direction) => timeline.toGap(direction)}>
        <GapsButton timeline={timeline} />
      </Pair>
      <Step timeline={timeline} {...minuteOn} />
      <Step timeline={timeline} {...hourOn} />
    </div>
  );
}

interface StepProps {
  readonly timeline: Timeline;
  readonly byMs: number;
  readonly words: MessageKey;
  readonly sign: MessageKey;
}

function Step({ timeline, byMs, words, sign }: StepProps) {
  const i18n = useI18n();
  const text = `${byMs < 0 ? '−' : '+'}${i18n.t(sign)}`;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      className={classes.step}
      aria-label={`${text}, ${i18n.t(words)}`}
      title={i18n.t(words)}
      onClick={() => timeline.step(byMs)}
    >
      {text}
    </Button>
  );
}

interface PairProps {
  readonly previous: MessageKey;
  readonly next: MessageKey;
  readonly onGo: (direction: 1 | -1) => void;
  readonly children: ReactNode;
}

function Pair({ previous, next, onGo, children }: PairProps) {
  const i18n = useI18n();
  return (
    <div className={classes.pair}>
      <SignButton icon={IconChevronLeft} label={i18n.t(previous)} onClick={() => onGo(-1)} />
      {children}
      <SignButton icon={IconChevronRight} label={i18n.t(next)} onClick={() => onGo(1)} />
    </div>
  );
}
