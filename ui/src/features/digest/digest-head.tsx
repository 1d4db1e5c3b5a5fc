import { Loader } from '@mantine/core';
import { Delayed } from '../../components/delayed.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { entryText, entryTitle } from '../events/entry-text.ts';
import type { DigestPart, DigestPlan } from '@vidette/contract/digest-plan';
import type { DigestPlayer, DigestSnapshot } from './digest-player.ts';
import classes from './digest.module.css';
import { useDigest, useDigestClock } from './use-digest-player.ts';

interface DigestHeadProps {
  readonly player: DigestPlayer;
  readonly plan: DigestPlan;
}

/** Over the video: which camera, the time at which it was recorded, how much was skipped, and words where there is no video. */
export function DigestHead({ player, plan }: DigestHeadProps) {
  const i18n = useI18n();
  const snapshot = useDigest(player);
  const { place, state } = snapshot;
  const utcMs = useDigestClock(player);
  const part = plan.parts[place];
  if (!part) return null;
  const [entry] = part.entries;
  const skipped = skippedText(plan, place, i18n);
  const words = wordsOf(part, snapshot, i18n);
  const atMs = utcMs ?? part.fromMs;
  return (
    <>
      <div className={classes.badge}>
        <strong className={classes.name}>{part.name}</strong>
        <span className={classes.kind}>{entryTitle(entry, i18n)}</span>
        <time className={classes.clock} dateTime={new Date(atMs).toISOString()}>
          {i18n.dateTime(atMs)}
        </time>
      </div>
      {skipped !== '' && (
        <div key={place} className={classes.skipped}>
          {skipped}
        </div>
      )}
      {words !== '' && (
        <div className={classes.words} role="status">
          {words}
        </div>
      )}
      {state === 'loading' && words === '' && (
        <div className={classes.waiting}>
          <Delayed>
            <Loader role="img" size="sm" color="white" aria-label={i18n.t('player.badge.connecting')} />
          </Delayed>
        </div>
      )}
      <div
        hidden
        data-digest-state={state}
        data-digest-place={place}
        data-digest-ms={utcMs === undefined ? '' : Math.round(utcMs)}
      />
    </>
  );
}

/** Quiet time between this part and the one before. */
function skippedText(plan: DigestPlan, place: number, i18n: I18n): string {
  const part = plan.parts[place];
  const untilMs = Math.max(0, ...plan.parts.slice(0, place).map(({ toMs }) => toMs));
  const quietMs = part === undefined || untilMs === 0 ? 0 : part.fromMs - untilMs;
  return quietMs >= 60_000 ? i18n.t('digest.skipped', { duration: i18n.duration(quietMs) }) : '';
}

function wordsOf(part: DigestPart, { failure, state }: DigestSnapshot, i18n: I18n): string {
  if (state === 'ended') return i18n.t('digest.ended');
  if (failure !== undefined) return i18n.t(`digest.failed.${failure}`, { name: part.name });
  if (part.type === 'clip') return '';
  const [entry] = part.entries;
  return [
    i18n.t('digest.gap', { from: i18n.time(part.fromMs), to: i18n.time(part.toMs) }),
    entryText(entry, i18n),
  ]
    .filter((text) => text !== '')
    .join(' · ');
}
