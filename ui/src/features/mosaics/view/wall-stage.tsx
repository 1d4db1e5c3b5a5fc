import { Button } from '@mantine/core';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconLayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs';
import type { WatchedMosaic } from '@vidette/contract/entities';
import { useMemo, useRef, type ReactNode } from 'react';
import { PageState } from '../../../components/page-state.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { streamsOf } from '../grid/presets.ts';
import type { ArchiveWall } from '../../../playback/wall/archive-wall.ts';
import type { StreamFacts } from '../wall/stream-facts.ts';
import { useWall } from '../wall/use-wall.ts';
import { WallGrid } from '../wall/wall-grid.tsx';
import { useFullScreen } from '../../../components/use-full-screen.ts';
import { useTop } from '../../../components/use-top.ts';
import { ArchiveDock } from './archive-dock.tsx';
import classes from './mosaic.module.css';
import { MosaicHead } from './mosaic-head.tsx';
import { troubleOf } from './trouble.ts';
import { useKioskKey, useTurning, useWallArchive, type WallAddress } from './use-wall-address.ts';

/** Without a requested moment the archive starts this long ago: everything recorded by then is available. */
const ARCHIVE_LEAD_MS = 30_000;

/** What a wall shows: a saved mosaic, or streams that were selected together. */
export type ShownWall = Pick<WatchedMosaic, 'name' | 'layout' | 'streams' | 'rotationSeconds'>;

interface WallStageProps {
  readonly wall: ShownWall;
  readonly address: WallAddress;
  /** Video of a stream stopped arriving: the server may know why by now. */
  readonly onAway: () => void;
  /** The action at the end of the bar above the tiles. */
  readonly action: ReactNode;
}

/** A wall on the screen: its bar, its tiles, and the archive of all of them. */
export function WallStage({ wall: shown, address, onAway, action }: WallStageProps) {
  const i18n = useI18n();
  const stage = useRef<HTMLDivElement>(null);
  const [wall, attachWall] = useWall();
  const [isFullScreen, toggleFullScreen] = useFullScreen(stage);
  useTop(stage);
  const { name, layout, streams } = shown;
  const { page, isKiosk, startMs, change } = address;
  const { archive, takeArchive, goLive, noteMoment } = useWallArchive(wall, change);
  const { turn, rotation } = useTurning(shown, address, archive);
  useKioskKey(isKiosk, change);
  const recorded = useRecordedStreams(shown, page);
  const facts = useStreamFacts(shown, archive, onAway);
  if (streams.length === 0) return <EmptyMosaic />;
  const isArchive = startMs !== undefined;
  return (
    <div ref={stage} className={classes.stage} data-full-screen={isFullScreen} data-kiosk={isKiosk}>
      {!isKiosk && (
        <MosaicHead
          name={name}
          hasRotation={shown.rotationSeconds > 0}
          page={page}
          pages={address.pages}
          rotation={rotation}
          isFullScreen={isFullScreen}
          onTurn={turn}
          onKiosk={() => change({ kiosk: true })}
          onFullScreen={toggleFullScreen}
          action={action}
        >
          <ArchiveButton
            isArchive={isArchive}
            onToggle={() => (isArchive ? goLive() : change({ t: Date.now() - ARCHIVE_LEAD_MS }))}
          />
        </MosaicHead>
      )}
      <WallGrid
        gridRef={attachWall}
        wall={wall}
        layout={layout}
        page={page}
        label={i18n.t('mosaic.grid', { name })}
        facts={facts}
      />
      {startMs !== undefined && (
        <ArchiveDock
          key={page}
          name={name}
          streams={recorded}
          startMs={startMs}
          onArchive={takeArchive}
          onLive={goLive}
          onMoment={noteMoment}
          isBare={isKiosk}
        />
      )}
      {isKiosk && <LeaveButton onLeave={() => change({ kiosk: undefined })} />}
    </div>
  );
}

function EmptyMosaic() {
  const i18n = useI18n();
  return (
    <PageState
      icon={IconLayoutDashboard}
      title={i18n.t('mosaic.empty.title')}
      text={i18n.t('mosaic.empty.text')}
    />
  );
}

function LeaveButton({ onLeave }: { onLeave: () => void }) {
  const i18n = useI18n();
  return (
    <Button className={classes.leave} size="sm" variant="default" onClick={onLeave}>
      {i18n.t('mosaic.kiosk.leave')}
    </Button>
  );
}

function ArchiveButton({ isArchive, onToggle }: { isArchive: boolean; onToggle: () => void }) {
  const i18n = useI18n();
  return (
    <Button
      size="sm"
      variant={isArchive ? 'light' : 'default'}
      aria-pressed={isArchive}
      aria-label={i18n.t(isArchive ? 'mosaic.live.go' : 'mosaic.archive.go')}
      leftSection={<IconHistory size={16} aria-hidden="true" />}
      onClick={onToggle}
    >
      {i18n.t('mosaic.archive')}
    </Button>
  );
}

/** Each recorded stream of a page once, in the order of the tiles. */
function useRecordedStreams({ streams, layout }: ShownWall, page: number) {
  return useMemo(() => {
    const byUid = new Map(streams.map((stream) => [stream.uid, stream]));
    return [...new Set(streamsOf(layout, page))].flatMap((uid) => {
      const stream = byUid.get(uid);
      return stream?.canArchive ? stream : [];
    });
  }, [streams, layout, page]);
}

function useStreamFacts(
  { streams }: ShownWall,
  archive: ArchiveWall | undefined,
  onAway: () => void,
): StreamFacts {
  const i18n = useI18n();
  return useMemo(() => {
    const names = new Map(streams.map(({ uid, name }) => [uid, name]));
    const troubles = new Map(streams.map((stream) => [stream.uid, troubleOf(stream, i18n)]));
    return {
      nameOf: (uid) => names.get(uid),
      gapCauseOf: (uid) => archive?.tracks.causeAt(uid, archive.shared.utcMs),
      troubleOf: (uid) => troubles.get(uid),
      onAway,
    };
  }, [streams, archive, i18n, onAway]);
}
