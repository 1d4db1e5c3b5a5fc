import { Button } from '@mantine/core';
import { polls } from '@vidette/contract/constants';
import type { Stream } from '@vidette/contract/entities';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { OutageNote } from '../streams/details/outage-note.tsx';
import { reasonOf } from '../streams/reason.ts';
import classes from './stream-view.module.css';

/** Why a camera sends no video, since when, when it is tried again, and for its editors what they can do. */
export function FailedCamera({ stream }: { readonly stream: Stream }) {
  const i18n = useI18n();
  return (
    <>
      <p>{reasonOf(stream, i18n)}</p>
      <OutageNote uid={stream.uid} everyMs={polls.logsMs} className={classes.outage} />
      {stream.canEdit && <Remedies uid={stream.uid} />}
    </>
  );
}

function Remedies({ uid }: { readonly uid: string }) {
  const i18n = useI18n();
  return (
    <div className={classes.remedies}>
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link to="/stream/$uid/setting" params={{ uid }} search={{ test: true }} {...props} />
        )}
      >
        {i18n.t('probe.test')}
      </Button>
      <Button
        variant="default"
        renderRoot={(props) => <Link to="/stream/$uid/setting" params={{ uid }} {...props} />}
      >
        {i18n.t('tab.setting')}
      </Button>
    </div>
  );
}
