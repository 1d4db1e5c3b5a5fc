import { Button, Loader, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useSettings } from '../../../api/session.ts';
import { textOf } from '../../../page/failures.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Interval } from '../../../timeline/intervals.ts';
import { MomentField, type MomentEntry } from '../../../timeline/react/moment-field.tsx';
import { Zone } from '../../../timeline/zone.ts';
import { archiveStatsQuery } from '../../streams/streams-api.ts';
import { ChangeReport } from './change-report.tsx';
import type { ChangeMark, ChangeResults } from './change-results.ts';
import { ChangeSearch } from './change-search.ts';
import classes from './find.module.css';
import { Find, type FindState } from './find.ts';
import { FindFrames } from './find-frames.tsx';
import { FindSession } from './find-session.ts';
import { missingMs, type FindRound } from './moment-finder.ts';
import { RegionPicker } from './region-picker.tsx';
import type { Region } from './region.ts';
import { useRegion } from './use-region.ts';

interface FindDialogProps {
  /** The streams whose archives can be searched; at least one. */
  readonly streams: readonly { readonly uid: string; readonly name: string }[];
  /** The moment on screen, whose frame is drawn on, UTC ms. */
  readonly shownMs: number;
  readonly onClose: () => void;
  /** The last key frame before the change: playback from here shows it. */
  readonly onFound: (utcMs: number) => void;
  /** What the server found, to be shown on the timeline. */
  readonly onChanges: (results: ChangeResults) => void;
}

/** Finds the moment at which a part of the frame changed, by choosing between key frames of ever shorter spans. */
export function FindDialog({ streams, ...rest }: FindDialogProps) {
  const i18n = useI18n();
  const [uid, setUid] = useState(streams[0]?.uid ?? '');
  const name = streams.find((stream) => stream.uid === uid)?.name ?? '';
  return (
    <Dialog isOpen onClose={rest.onClose} size="min(75rem, 96vw)" title={i18n.t('find.title', { name })}>
      {streams.length > 1 && (
        <NativeSelect
          size="sm"
          className={classes.camera}
          label={i18n.t('find.camera')}
          value={uid}
          onChange={(event) => setUid(event.currentTarget.value)}
          data={streams.map((stream) => ({ value: stream.uid, label: stream.name }))}
        />
      )}
      <FindSteps key={uid} uid={uid} {...rest} />
    </Dialog>
  );
}

type FindStepsProps = Pick<FindDialogProps, 'shownMs' | 'onClose' | 'onFound' | 'onChanges'> & {
  readonly uid: string;
};

/** A search, with the session in which it reads the archive. */
interface OpenFind {
  readonly find: Find;
  /** The same by the server. */
  readonly search: ChangeSearch;
  readonly session: FindSession;
}

/** Owns the search of one stream. */
function FindSteps(props: FindStepsProps) {
  const { uid } = props;
  const { rangesMaxSeconds } = useSettings();
  const [open, setOpen] = useState<OpenFind>();
  const attach = useCallback(() => {
    const session = new FindSession(uid, rangesMaxSeconds * 1000);
    const find = new Find(session);
    const search = new ChangeSearch(uid);
    setOpen({ find, search, session });
    return () => {
      setOpen(undefined);
      search.dispose();
      find.dispose();
    };
  }, [uid, rangesMaxSeconds]);
  return <div ref={attach}>{open && <OpenSteps {...props} {...open} />}</div>;
}

function OpenSteps({
  uid,
  shownMs,
  onClose,
  onFound,
  onChanges,
  find,
  search,
  session,
}: FindStepsProps & OpenFind) {
  const i18n = useI18n();
  const [isSearched, setSearched] = useState(false);
  const [region, setRegion] = useRegion(uid);
  const state = useSyncExternalStore(find.subscribe, find.getState);
  const { rounds, found } = state;
  useEffect(() => {
    if (!found) return;
    notifySuccess(foundText(found, i18n));
    onClose();
    onFound(found.beforeMs);
  }, [found, i18n, onClose, onFound]);
  const isChoosing = rounds.length > 0;
  const show = ({ startTime: beforeMs, endTime: afterMs }: ChangeMark, ranges: readonly Interval[]) => {
    notifySuccess(foundText({ beforeMs, afterMs, ranges }, i18n));
    onChanges(search.getState().results);
    onClose();
    onFound(beforeMs);
  };
  const back = () => {
    if (!isSearched) find.back();
    search.stop();
    setSearched(false);
  };
  return (
    <>
      {isSearched ? (
        <ChangeReport search={search} session={session} region={region} onMark={show} />
      ) : isChoosing ? (
        <Choice find={find} state={state} region={region} />
      ) : (
        <Setting
          uid={uid}
          shownMs={shownMs}
          session={session}
          isLoading={state.isLoading}
          region={region}
          onRegion={setRegion}
          onBegin={(startMs, endMs) => find.begin(startMs, endMs, region)}
          onSearch={(startMs, endMs) => {
            search.begin(startMs, endMs, region);
            setSearched(true);
          }}
        />
      )}
      <Foot state={state} onBack={isChoosing || isSearched ? back : undefined} />
    </>
  );
}

interface FootProps {
  readonly state: Pick<FindState, 'isLoading' | 'isEmpty' | 'error'>;
  /** Undefined at the first step. */
  readonly onBack: (() => void) | undefined;
}

function Foot({ state: { isLoading, isEmpty, error }, onBack }: FootProps) {
  const i18n = useI18n();
  return (
    <div className={classes.foot}>
      {onBack && (
        <Button size="sm" variant="default" onClick={onBack}>
          {i18n.t('find.back')}
        </Button>
      )}
      <output className={classes.state}>
        {isLoading && <Loader role="img" size="xs" aria-label={i18n.t('find.loading')} />}
        {isEmpty && i18n.t('find.empty')}
        {error && textOf(error, i18n)}
      </output>
    </div>
  );
}

/** The first frame that differs is chosen, among those of a round. */
function Choice({
  find,
  state,
  region,
}: Pick<OpenFind, 'find'> & { readonly state: FindState; readonly region: Region | undefined }) {
  const i18n = useI18n();
  const { rounds, frames } = state;
  const round = rounds.at(-1);
  if (!round) return null;
  return (
    <>
      <p className={classes.how}>
        <strong>{i18n.t('find.step', { step: rounds.length })}</strong> {i18n.t('find.choose')}
      </p>
      <FindFrames
        key={rounds.length}
        round={round}
        frames={frames}
        region={region}
        onChoose={(place) => find.choose(place)}
      />
    </>
  );
}

/** Between which frames it happened, and whether something is missing there. */
function foundText(
  { beforeMs, afterMs, ranges }: Pick<FindRound, 'beforeMs' | 'afterMs' | 'ranges'>,
  i18n: ReturnType<typeof useI18n>,
): string {
  const values = { from: i18n.dateTime(beforeMs), to: i18n.time(afterMs) };
  const gapMs = ranges.length > 0 ? missingMs(ranges, beforeMs, afterMs) : 0;
  if (gapMs === 0) return i18n.t('find.found', values);
  return i18n.t('find.found.gap', {
    from: i18n.dateTime(beforeMs),
    to: i18n.dateTime(afterMs),
    duration: i18n.duration(gapMs),
  });
}

interface SettingProps {
  readonly uid: string;
  readonly shownMs: number;
  readonly session: FindSession;
  readonly isLoading: boolean;
  readonly region: Region | undefined;
  readonly onRegion: (region: Region | undefined) => void;
  readonly onBegin: (startMs: number, endMs: number) => void;
  /** The server compares the frames. */
  readonly onSearch: (startMs: number, endMs: number) => void;
}

/** What to look at, and in which time: the whole archive unless it is narrowed. */
function Setting(props: SettingProps) {
  const { uid, shownMs, session, isLoading, region, onRegion, onBegin, onSearch } = props;
  const i18n = useI18n();
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const { data: stats } = useQuery(archiveStatsQuery(uid));
  const [openedMs] = useState(() => Date.now());
  const [from, setFrom] = useState<MomentEntry>('empty');
  const [until, setUntil] = useState<MomentEntry>('empty');
  const startMs = typeof from === 'number' ? from : (stats?.startTime ?? undefined);
  const endMs = typeof until === 'number' ? until : openedMs;
  const isPossible =
    startMs !== undefined && startMs < endMs && from !== 'unreadable' && until !== 'unreadable';
  return (
    <>
      <p className={classes.how}>{i18n.t('find.how')}</p>
      <RegionPicker utcMs={shownMs} session={session} region={region} onRegion={onRegion} />
      <div className={classes.span}>
        <div>
          <MomentField label={i18n.t('find.from')} ms={startMs} zone={zone} onEntry={setFrom} />
        </div>
        <div>
          <MomentField
            label={i18n.t('find.until')}
            ms={endMs}
            zone={zone}
            error={startMs !== undefined && startMs >= endMs ? i18n.t('save.order') : undefined}
            onEntry={setUntil}
          />
        </div>
        <div className={classes.ways}>
          <Button
            size="sm"
            disabled={!isPossible}
            loading={isLoading}
            onClick={() => onBegin(startMs ?? 0, endMs)}
          >
            {i18n.t(region ? 'find.begin.region' : 'find.begin')}
          </Button>
          <Button
            size="sm"
            variant="default"
            disabled={!isPossible}
            onClick={() => onSearch(startMs ?? 0, endMs)}
          >
            {i18n.t('find.auto')}
          </Button>
        </div>
      </div>
    </>
  );
}
