import IconZoomScan from '@tabler/icons-react/dist/esm/icons/IconZoomScan.mjs';
import { useState } from 'react';
import { SignButton } from '../../../components/sign-button.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Timeline } from '../../../timeline/timeline.ts';
import { FindDialog } from './find-dialog.tsx';

interface FindControlProps {
  /** The streams whose archives can be searched. */
  readonly streams: readonly { readonly uid: string; readonly name: string }[];
  /** The moment on screen, UTC ms. */
  readonly shownMs: () => number;
  /** Where the moment is shown, and what changed around it. */
  readonly timeline: Pick<Timeline, 'goTo' | 'setChanges'>;
}

/** Opens the search for the moment at which something changed. */
export function FindControl({ streams, shownMs, timeline }: FindControlProps) {
  const i18n = useI18n();
  const [openedMs, setOpenedMs] = useState<number>();
  if (streams.length === 0) return null;
  return (
    <>
      <SignButton
        icon={IconZoomScan}
        label={i18n.t('find.open')}
        onClick={() => {
          timeline.setChanges(undefined);
          setOpenedMs(Math.round(shownMs()));
        }}
      />
      {openedMs !== undefined && (
        <FindDialog
          streams={streams}
          shownMs={openedMs}
          onClose={() => setOpenedMs(undefined)}
          onFound={(utcMs) => timeline.goTo(utcMs)}
          onChanges={({ steps, marks }) => timeline.setChanges({ steps, marks })}
        />
      )}
    </>
  );
}
