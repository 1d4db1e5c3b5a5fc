import { useMemo, useRef, useState } from 'react';
import { Button, Loader } from '@mantine/core';
import IconArrowLeft from '@tabler/icons-react/dist/esm/icons/IconArrowLeft.mjs';
import IconFilter from '@tabler/icons-react/dist/esm/icons/IconFilter.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import { Delayed } from '../../components/delayed.tsx';
import { FailedState } from '../../components/failed-state.tsx';
import { PageState } from '../../components/page-state.tsx';
import { SignButton } from '../../components/sign-button.tsx';
import { useTop } from '../../components/use-top.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { textOf } from '../../page/failures.ts';
import { Link } from '../../routing/react/link.tsx';
import { useNavigate, useSearch } from '../../routing/react/router-context.tsx';
import { Zone } from '../../timeline/zone.ts';
import { readTogether } from '../streams/together.ts';
import { DigestFields } from './digest-fields.tsx';
import { DigestStage } from './digest-stage.tsx';
import { lastNight, type DigestSearch, type DigestSpan } from './digest-search.ts';
import classes from './digest.module.css';
import { useDigestPlan } from './use-digest-plan.ts';

/** What happened in a span: all events of some cameras one after the other, in about two minutes. */
export function DigestScreen() {
  const screen = useRef<HTMLDivElement>(null);
  const i18n = useI18n();
  const navigate = useNavigate();
  const search: DigestSearch = useSearch({ from: '/events/digest' });
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const [isOpen, setOpen] = useState(false);
  const [openedMs] = useState(() => Date.now());
  const { from, to, streams = '', tag } = search;
  const span = useMemo(
    () => (from === undefined || to === undefined ? lastNight(openedMs, zone) : { fromMs: from, toMs: to }),
    [from, to, openedMs, zone],
  );
  const uids = useMemo(() => readTogether(streams), [streams]);
  const { plan, isPartial, error, reload } = useDigestPlan({ ...span, streams: uids, tag });
  useTop(screen);
  const change = (next: DigestSearch) => void navigate({ to: '/events/digest', search: next, replace: true });
  return (
    <div ref={screen} className={classes.screen}>
      <div className={classes.head}>
        <BackLink camera={uids[0]} tag={tag} />
        <h1 className={classes.title}>{i18n.t('title.digest')}</h1>
        <SignButton
          icon={IconFilter}
          label={i18n.t('events.filters', { count: 0 })}
          className={classes.filtersButton}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        <DigestFields span={span} uids={uids} search={search} zone={zone} isOpen={isOpen} onChange={change} />
        {isPartial && <p className={classes.partial}>{i18n.t('digest.partial')}</p>}
      </div>
      {(plan?.parts.length ?? 0) === 0 && (
        <div className={classes.instead} aria-busy={!plan && !error}>
          {plan ? (
            <NothingHappened
              span={span}
              onDay={() => change({ ...search, from: openedMs - dayMs, to: openedMs })}
            />
          ) : (
            <NotLoaded error={error} onRetry={reload} />
          )}
        </div>
      )}
      {plan && plan.parts.length > 0 && (
        <DigestStage key={keyOf(span, streams, tag)} plan={plan} digested={{ span, uids, tag }} />
      )}
    </div>
  );
}

/** To the events of the same cameras. */
function BackLink({
  camera,
  tag,
}: {
  readonly camera: string | undefined;
  readonly tag: string | undefined;
}) {
  const i18n = useI18n();
  const search = { ...(camera === undefined ? {} : { camera }), ...(tag === undefined ? {} : { tag }) };
  return (
    <Link to="/events" search={search} className={classes.back} aria-label={i18n.t('title.events')}>
      <IconArrowLeft size={18} aria-hidden="true" />
    </Link>
  );
}

function NotLoaded({ error, onRetry }: { readonly error: Error | null; readonly onRetry: () => void }) {
  const i18n = useI18n();
  if (error) return <FailedState text={textOf(error, i18n)} onRetry={onRetry} />;
  return (
    <Delayed>
      <Loader size="sm" aria-hidden="true" />
    </Delayed>
  );
}

function NothingHappened({ span, onDay }: { readonly span: DigestSpan; readonly onDay: () => void }) {
  const i18n = useI18n();
  return (
    <PageState
      isInline
      icon={IconHistory}
      title={i18n.t('digest.nothing.title')}
      text={i18n.t('digest.nothing', { from: i18n.dateTime(span.fromMs), to: i18n.dateTime(span.toMs) })}
      action={
        <Button size="sm" variant="default" onClick={onDay}>
          {i18n.t('digest.day')}
        </Button>
      }
    />
  );
}

const dayMs = 86_400_000;

/** Another digest has other players. */
function keyOf({ fromMs, toMs }: DigestSpan, streams: string, tag = ''): string {
  return `${fromMs} ${toMs} ${streams} ${tag}`;
}
