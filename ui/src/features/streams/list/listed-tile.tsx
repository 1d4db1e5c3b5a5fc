import { ActionIcon } from '@mantine/core';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import IconSettings from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs';
import type { ListedStream } from '@vidette/contract/entities';
import { usePauseStream } from '../streams-api.ts';
import { StreamTile, StreamTileSkeleton } from '../stream-tile.tsx';
import { Tip } from '../../../components/tip.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { Link } from '../../../routing/react/link.tsx';
import { PickBox } from './pick-box.tsx';
import { useReason } from '../use-reason.ts';
import { pickingLink, type Picking } from './use-picking.ts';

/** A stream of the list as a tile; a skeleton until its page has loaded. */
export function ListedTile({
  stream,
  ...rest
}: Omit<TileProps, 'stream'> & { stream: ListedStream | undefined }) {
  return stream ? <Tile stream={stream} {...rest} /> : <StreamTileSkeleton />;
}

interface TileProps {
  readonly stream: ListedStream;
  /** Position in the whole list, from 0. */
  readonly place: number;
  readonly picking: Picking;
}

function Tile({ stream, place, picking }: TileProps) {
  const { uid } = stream;
  return (
    <StreamTile
      uid={uid}
      name={stream.name}
      status={stream.status}
      isOnDemand={stream.live.onDemand}
      reason={useReason(stream)}
      isRecorded={stream.archive.isEnable}
      isPublic={stream.isPublic === true}
      controls={stream.canEdit && <TileControls stream={stream} />}
      box={<PickBox picking={picking} place={place} stream={stream} />}
      isPicked={picking.picked.has(uid)}
      linkProps={pickingLink(picking, place, stream)}
    />
  );
}

function TileControls({ stream }: { stream: ListedStream }) {
  const i18n = useI18n();
  const pause = usePauseStream();
  const isPaused = stream.status === 'paused';
  const pauseLabel = i18n.t(isPaused ? 'streams.resume.named' : 'streams.pause.named', { name: stream.name });
  const settingsLabel = i18n.t('streams.settings.named', { name: stream.name });
  return (
    <>
      <Tip align="end" label={pauseLabel}>
        <ActionIcon
          size="md"
          variant="transparent"
          aria-label={pauseLabel}
          loading={pause.isPending}
          onClick={() => pause.mutate({ uid: stream.uid, isPaused })}
        >
          {isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
        </ActionIcon>
      </Tip>
      <Tip align="end" label={settingsLabel}>
        <ActionIcon
          renderRoot={(props) => <Link to="/stream/$uid/info" params={{ uid: stream.uid }} {...props} />}
          size="md"
          variant="transparent"
          aria-label={settingsLabel}
        >
          <IconSettings size={16} />
        </ActionIcon>
      </Tip>
    </>
  );
}
