import { useQuery } from '@tanstack/react-query';
import type { Stream } from '@vidette/contract/entities';
import { pendingLossQuery } from './archive-loss-api.ts';
import { Notice } from '../../../components/notice.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { depthText } from '../../../components/depth-text.ts';
import { lossTimeText } from './loss-text.ts';
import classes from './stream.module.css';

/** Shows what a lowered depth will delete, while an editor of the stream can still undo it. */
export function PendingLoss({ stream }: { stream: Stream }) {
  const i18n = useI18n();
  const { data: loss } = useQuery({ ...pendingLossQuery(stream.uid), enabled: stream.canEdit });
  if (!loss || loss.depthHours === null || loss.beginsAt === null) return null;
  return (
    <div className={classes.pending}>
      <Notice>
        {i18n.t('depthLoss.pending', {
          time: lossTimeText(loss.beginsAt, i18n),
          depth: depthText(loss.depthHours, i18n),
          size: i18n.bytes(loss.bytes),
        })}
      </Notice>
    </div>
  );
}
