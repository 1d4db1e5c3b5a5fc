import type { Icon } from '@tabler/icons-react';
import IconActivity from '@tabler/icons-react/dist/esm/icons/IconActivity.mjs';
import IconClockOff from '@tabler/icons-react/dist/esm/icons/IconClockOff.mjs';
import IconDatabaseExclamation from '@tabler/icons-react/dist/esm/icons/IconDatabaseExclamation.mjs';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconLockExclamation from '@tabler/icons-react/dist/esm/icons/IconLockExclamation.mjs';
import IconPlayerRecord from '@tabler/icons-react/dist/esm/icons/IconPlayerRecord.mjs';
import IconServer from '@tabler/icons-react/dist/esm/icons/IconServer.mjs';
import IconShare from '@tabler/icons-react/dist/esm/icons/IconShare.mjs';
import IconTag from '@tabler/icons-react/dist/esm/icons/IconTag.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import IconVideoOff from '@tabler/icons-react/dist/esm/icons/IconVideoOff.mjs';
import type { JournalEntry, JournalKind } from '@vidette/contract/journal';
import { toneOf } from '../../timeline/event-kinds.ts';
import classes from './events.module.css';

const icons: Readonly<Record<JournalKind, Icon>> = {
  motion: IconActivity,
  annotation: IconTag,
  'stream-down': IconVideoOff,
  'recording-stopped': IconPlayerRecord,
  gap: IconClockOff,
  disk: IconDatabaseExclamation,
  node: IconServer,
  retention: IconTrash,
  'sign-in-failed': IconLockExclamation,
  'share-opened': IconShare,
  'export-made': IconDownload,
};

const troubles: readonly JournalKind[] = [
  'stream-down',
  'recording-stopped',
  'gap',
  'disk',
  'node',
  'retention',
];

/** The sign of a kind, in the colour that it has on the timeline; its name is beside it. */
export function KindIcon({ entry: { kind, detail } }: { readonly entry: JournalEntry }) {
  const Sign = icons[kind];
  const tone =
    kind === 'motion' || kind === 'annotation'
      ? toneOf(kind === 'motion' ? kind : (detail.code ?? ''))
      : troubles.includes(kind)
        ? 'trouble'
        : 'note';
  return <Sign size={16} stroke={1.8} aria-hidden="true" className={classes.kindIcon} data-tone={tone} />;
}
