import { Button, Loader } from '@mantine/core';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import { useRef } from 'react';
import { Delayed } from '../../components/delayed.tsx';
import { FailedState } from '../../components/failed-state.tsx';
import { PageState } from '../../components/page-state.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import { textOf } from '../../page/failures.ts';
import { EventsList } from './events-list.tsx';
import classes from './events.module.css';
import type { StillLoader } from './still-loader.ts';
import type { Events } from './use-events.ts';

interface EventsBodyProps {
  readonly events: Events;
  readonly chosen: number;
  readonly stills: StillLoader;
  readonly isFiltered: boolean;
  /** Only events that no user has reviewed are listed, by no other filter. */
  readonly isInbox: boolean;
  readonly onChoose: (place: number) => void;
  readonly onShowAll: () => void;
}

type Texts = readonly [title: MessageKey, text: MessageKey];

const emptyTexts: Texts = ['events.empty.title', 'events.empty.text'];
const filteredTexts: Texts = ['streams.nothing.title', 'events.nothing'];
const inboxTexts: Texts = ['events.inbox.title', 'events.inbox.text'];

/** The list, or why there is none. */
export function EventsBody({
  events,
  chosen,
  stills,
  isFiltered,
  isInbox,
  onChoose,
  onShowAll,
}: EventsBodyProps) {
  const i18n = useI18n();
  const list = useRef<HTMLDivElement>(null);
  const { groups, error, isWhole, searchedMs, hasNew, loadMore, reload } = events;
  if (!groups && error) return <FailedState text={textOf(error, i18n)} onRetry={reload} />;
  if (!groups)
    return (
      <div className={classes.loading} aria-busy="true">
        <Delayed>
          <Loader size="sm" aria-hidden="true" />
        </Delayed>
      </div>
    );
  if (groups.length === 0 && isWhole)
    return <NoEvents isFiltered={isFiltered} isInbox={isInbox} onShowAll={onShowAll} />;
  return (
    <div className={classes.body}>
      {hasNew && (
        <Button
          size="compact-sm"
          className={classes.newer}
          onClick={() => {
            if (list.current) list.current.scrollTop = 0;
            reload();
          }}
        >
          {i18n.t('events.new')}
        </Button>
      )}
      <EventsList
        groups={groups}
        chosen={chosen}
        stills={stills}
        isWhole={isWhole}
        listRef={list}
        onChoose={onChoose}
        onEnd={loadMore}
      />
      <output className={classes.progress}>
        {searchedMs !== undefined && (
          <Delayed>{i18n.t('events.searching', { time: i18n.dateTime(searchedMs) })}</Delayed>
        )}
      </output>
    </div>
  );
}

type NoEventsProps = Pick<EventsBodyProps, 'isFiltered' | 'isInbox' | 'onShowAll'>;

/** Why the list is empty. */
function NoEvents({ isFiltered, isInbox, onShowAll }: NoEventsProps) {
  const i18n = useI18n();
  const [title, text] = isInbox ? inboxTexts : isFiltered ? filteredTexts : emptyTexts;
  return (
    <PageState
      isInline
      icon={isInbox ? IconCircleCheck : IconHistory}
      title={i18n.t(title)}
      text={i18n.t(text)}
      action={
        isFiltered && (
          <Button size="sm" variant="default" onClick={onShowAll}>
            {i18n.t('audit.clear')}
          </Button>
        )
      }
    />
  );
}
