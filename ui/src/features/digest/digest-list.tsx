import { useEffect, useRef } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { entryTitle } from '../events/entry-text.ts';
import { KindIcon } from '../events/kind-icon.tsx';
import type { DigestPart, DigestPlan } from '@vidette/contract/digest-plan';
import type { DigestPlayer } from './digest-player.ts';
import classes from './digest.module.css';
import { DigestExport, type Digested } from './digest-export.tsx';
import { useDigest } from './use-digest-player.ts';

interface DigestListProps {
  readonly player: DigestPlayer;
  readonly plan: DigestPlan;
  readonly digested: Digested;
}

/** All clips and gaps; choosing one plays it, and then those that follow. */
export function DigestList({ player, plan, digested }: DigestListProps) {
  const i18n = useI18n();
  const { place } = useDigest(player);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.children[place]?.scrollIntoView({ block: 'nearest' });
  }, [place]);
  const { speed, lengthMs, isCut, leftOut } = plan;
  return (
    <section className={classes.list} aria-label={i18n.t('digest.parts')}>
      <div className={classes.summary}>
        <p className={classes.figures}>
          {i18n.t('digest.summary', {
            clips: i18n.t('digest.clips', { count: plan.parts.length }),
            duration: i18n.duration(Math.max(1000, Math.round(lengthMs / 1000) * 1000)),
            speed: i18n.number(speed),
          })}
          {isCut && ` ${i18n.t('digest.cut')}`}
          {leftOut.clips > 0 && ` ${i18n.t('digest.leftOut', { count: leftOut.clips })}`}
          {leftOut.gaps > 0 && ` ${i18n.t('digest.leftOut.gaps', { count: leftOut.gaps })}`}
        </p>
        <DigestExport digested={digested} />
      </div>
      <ol ref={list} className={classes.parts}>
        {plan.parts.map((part, index) => (
          <li key={`${part.uid} ${part.fromMs} ${part.type}`}>
            <button
              type="button"
              className={classes.part}
              data-clip
              aria-current={index === place ? 'step' : undefined}
              onClick={() => player.goTo(index)}
            >
              <PartFacts part={part} />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function PartFacts({ part }: { readonly part: DigestPart }) {
  const i18n = useI18n();
  const [entry] = part.entries;
  return (
    <>
      <time dateTime={new Date(part.fromMs).toISOString()}>{i18n.time(part.fromMs)}</time>
      <KindIcon entry={entry} />
      <span className={classes.partName}>
        {part.name} · {entryTitle(entry, i18n)}
      </span>
      <span className={classes.partLength}>
        {i18n.duration(Math.round((part.toMs - part.fromMs) / 1000) * 1000)}
      </span>
    </>
  );
}
