import { SegmentedControl } from '@mantine/core';
import IconChecks from '@tabler/icons-react/dist/esm/icons/IconChecks.mjs';
import IconFilter from '@tabler/icons-react/dist/esm/icons/IconFilter.mjs';
import IconPlayerTrackNext from '@tabler/icons-react/dist/esm/icons/IconPlayerTrackNext.mjs';
import IconKeyboard from '@tabler/icons-react/dist/esm/icons/IconKeyboard.mjs';
import { useState } from 'react';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { useNavigate } from '../../routing/react/router-context.tsx';
import { EventFilters } from './event-filters.tsx';
import { isUnreviewed } from './event-groups.ts';
import type { EventsSearch } from './events-search.ts';
import classes from './events.module.css';
import type { Events } from './use-events.ts';

interface EventsHeadProps {
  readonly events: Events;
  readonly search: EventsSearch;
  readonly onChange: (filters: EventsSearch) => void;
  /** Marks every event of the list as reviewed. */
  readonly onReviewAll: () => void;
  readonly onKeys: () => void;
}

/** The title of the screen, what applies to the whole list, and its filters. */
export function EventsHead({ events, search, onChange, onReviewAll, onKeys }: EventsHeadProps) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const { event: _event, unreviewed, ...filters } = search;
  const count = Object.keys(filters).length;
  const [isOpen, setOpen] = useState(count > 0);
  const open = events.groups?.filter(isUnreviewed).length ?? 0;
  return (
    <div className={classes.head}>
      <div className={classes.titleRow}>
        <h1 className={classes.title}>{i18n.t('title.events')}</h1>
        <div className={classes.headActions}>
          <SignButton
            icon={IconPlayerTrackNext}
            label={i18n.t('digest.open')}
            onClick={() => void navigate({ to: '/events/digest', search: digestOf(search) })}
          />
          <SignButton
            icon={IconChecks}
            label={i18n.t('events.review.all', { count: open })}
            isDisabled={open === 0}
            onClick={onReviewAll}
          />
          <SignButton
            icon={IconFilter}
            label={i18n.t('events.filters', { count })}
            isMain={count > 0}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
          <SignButton
            icon={IconKeyboard}
            label={i18n.t('player.keys')}
            className={classes.keysButton}
            aria-keyshortcuts="?"
            onClick={onKeys}
          />
        </div>
      </div>
      <SegmentedControl
        size="sm"
        fullWidth
        aria-label={i18n.t('events.show')}
        value={unreviewed ? 'unreviewed' : 'all'}
        onChange={(value) =>
          onChange({ ...filters, ...(value === 'unreviewed' ? { unreviewed: true } : {}) })
        }
        data={[
          { value: 'unreviewed', label: i18n.t('events.unreviewed') },
          { value: 'all', label: i18n.t('events.all') },
        ]}
      />
      {isOpen && (
        <EventFilters search={{ ...filters, ...(unreviewed ? { unreviewed } : {}) }} onChange={onChange} />
      )}
    </div>
  );
}

/** The search parameters of the digest of the same cameras. */
function digestOf({ camera, tag }: EventsSearch) {
  return { ...(camera === undefined ? {} : { streams: camera }), ...(tag === undefined ? {} : { tag }) };
}
