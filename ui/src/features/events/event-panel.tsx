import { Button } from '@mantine/core';
import IconArrowLeft from '@tabler/icons-react/dist/esm/icons/IconArrowLeft.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import IconListSearch from '@tabler/icons-react/dist/esm/icons/IconListSearch.mjs';
import { PageState } from '../../components/page-state.tsx';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { DownloadText } from '../stream-view/save/download-text.tsx';
import type { Viewer } from '../stream-view/viewer.ts';
import { lengthText } from './event-card.tsx';
import { firstOf, isUnreviewed, type EventGroup } from './event-groups.ts';
import { EventStage } from './event-stage.tsx';
import { entryText, entryTitle } from './entry-text.ts';
import { KindIcon } from './kind-icon.tsx';
import classes from './events.module.css';
import type { EventExport } from './use-event-export.ts';

interface EventPanelProps {
  /** The chosen event; undefined without one. */
  readonly group: EventGroup | undefined;
  /** False when the list is empty. */
  readonly hasEvents: boolean;
  /** Called with the player's viewer, and with undefined when it is disposed. */
  readonly onViewer: (viewer: Viewer | undefined) => void;
  readonly exported: EventExport;
  readonly onReview: () => void;
  /** Back to the list, where only one of the two is visible. */
  readonly onBack: () => void;
}

/** The chosen event: its video, what is known about it, and what can be done with it. */
export function EventPanel({ group, hasEvents, onViewer, exported, onReview, onBack }: EventPanelProps) {
  const i18n = useI18n();
  if (!group)
    return (
      <div className={classes.nothingChosen}>
        {hasEvents && (
          <PageState
            isInline
            icon={IconListSearch}
            title={i18n.t('events.choose')}
            text={i18n.t('events.choose.how')}
          />
        )}
      </div>
    );
  const entry = firstOf(group);
  const { stream } = entry;
  const facts = <EventFacts group={group} exported={exported} onReview={onReview} onBack={onBack} />;
  if (stream === null) return <div className={classes.systemEvent}>{facts}</div>;
  return (
    <EventStage
      key={stream}
      uid={stream}
      name={entry.streamName ?? ''}
      startMs={group.startMs}
      onViewer={onViewer}
    >
      {facts}
    </EventStage>
  );
}

type EventFactsProps = Pick<EventPanelProps, 'exported' | 'onReview' | 'onBack'> & {
  readonly group: EventGroup;
};

function EventFacts({ group, exported, onReview, onBack }: EventFactsProps) {
  const i18n = useI18n();
  const entry = firstOf(group);
  return (
    <section className={classes.panel} aria-label={i18n.t('events.chosen')}>
      <SignButton
        icon={IconArrowLeft}
        label={i18n.t('events.back')}
        className={classes.back}
        onClick={onBack}
      />
      <KindIcon entry={entry} />
      <div className={classes.panelFacts}>
        <strong>{entryTitle(entry, i18n)}</strong>
        <span className={classes.panelTime}>
          {i18n.dateTime(group.startMs)}
          {lengthText(group, i18n)}
          {group.entries.length > 1 && ` · ${i18n.t('events.times', { count: group.entries.length })}`}
        </span>
        <span className={classes.panelText}>{entryText(entry, i18n)}</span>
      </div>
      <FactActions group={group} exported={exported} onReview={onReview} />
      {(exported.id === entry.id || exported.state.name === 'failed') && (
        <div className={classes.download}>
          <DownloadText state={exported.state} gaps={undefined} />
        </div>
      )}
    </section>
  );
}

function FactActions({ group, exported, onReview }: Omit<EventFactsProps, 'onBack'>) {
  const i18n = useI18n();
  const { stream } = firstOf(group);
  const isOpen = isUnreviewed(group);
  return (
    <div className={classes.panelActions}>
      {stream !== null && (
        <>
          <Button
            size="sm"
            leftSection={<IconDownload size={16} aria-hidden="true" />}
            loading={exported.isRunning}
            aria-keyshortcuts="E"
            onClick={exported.begin}
          >
            {i18n.t('events.export')}
          </Button>
          <Link
            to="/stream/$uid/view"
            params={{ uid: stream }}
            search={{ t: group.startMs }}
            className={classes.panelLink}
            aria-keyshortcuts="O"
          >
            <IconExternalLink size={16} aria-hidden="true" />
            {i18n.t('events.open')}
          </Link>
        </>
      )}
      <Button
        size="sm"
        variant="default"
        leftSection={<IconCheck size={16} aria-hidden="true" />}
        aria-keyshortcuts="R"
        aria-pressed={!isOpen}
        onClick={onReview}
      >
        {i18n.t(isOpen ? 'events.review' : 'events.reviewed')}
      </Button>
    </div>
  );
}
