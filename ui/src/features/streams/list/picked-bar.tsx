import { Button, CloseButton } from '@mantine/core';
import { useState } from 'react';
import { notifySuccess } from '../../../page/notify.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { DeleteDialog } from '../details/delete-dialog.tsx';
import classes from './picked-bar.module.css';
import { OutcomeView, workText } from './picked-outcome.tsx';
import { TagsDialog } from './tags-dialog.tsx';
import type { Picking } from './use-picking.ts';
import { usePickedWork, type Work, type WorkState } from './use-picked-work.ts';

type Dialog = 'tags' | 'delete';

interface PickedBarProps {
  readonly picking: Picking;
}

/**
 * The actions for the selected streams, at the bottom of the window; then their progress, and their outcome.
 */
export function PickedBar({ picking }: PickedBarProps) {
  const i18n = useI18n();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const work = usePickedWork();
  const { picked } = picking;
  const count = picked.size;
  const run = (kind: Work) => {
    setDialog(null);
    work.run(kind, [...picked.values()], (outcome) => {
      if (kind.kind === 'delete') picking.leaveOut(outcome.done);
      if (outcome.failed.length + outcome.left.length > 0) return;
      notifySuccess(i18n.t(workText[kind.kind].done, { done: outcome.done.length }));
      work.close();
      if (kind.kind === 'delete') picking.end();
    });
  };
  if (work.state?.kind === 'running') return <WorkProgress state={work.state} onStop={work.stop} />;
  return (
    <section className={classes.bar} aria-label={i18n.t('streams.picked')}>
      {work.state && (
        <OutcomeView
          state={work.state}
          onAgain={(streams) => {
            if (work.state) work.run(work.state.work, streams);
          }}
          onClose={work.close}
        />
      )}
      <PickedCount picking={picking} />
      <PickedActions picking={picking} onRun={run} onAsk={setDialog} />
      <TagsDialog
        isOpen={dialog === 'tags'}
        picked={picked}
        onChange={(added, removed) => run({ kind: 'tags', added, removed })}
        onClose={() => setDialog(null)}
      />
      <DeleteDialog
        isOpen={dialog === 'delete'}
        title={i18n.t('streams.picked.delete.title', { count })}
        confirmWord={String(count)}
        labels={{
          keep: i18n.t('streams.picked.delete.keep', { count }),
          purge: i18n.t('streams.picked.delete.purge', { count }),
        }}
        isDeleting={false}
        onDelete={(purge) => run({ kind: 'delete', purge })}
        onClose={() => setDialog(null)}
      />
    </section>
  );
}

interface WorkProgressProps {
  readonly state: Extract<WorkState, { kind: 'running' }>;
  readonly onStop: () => void;
}

function WorkProgress({ state: { work, finished, total }, onStop }: WorkProgressProps) {
  const i18n = useI18n();
  return (
    <section className={classes.bar} aria-label={i18n.t('streams.picked')}>
      <span className={classes.count} role="status">
        {i18n.t(workText[work.kind].doing, { done: finished, total })}
      </span>
      <progress
        className={classes.progress}
        aria-label={i18n.t('streams.picked')}
        max={total}
        value={finished}
      />
      <Button size="sm" variant="default" onClick={onStop}>
        {i18n.t('streams.picked.stop')}
      </Button>
    </section>
  );
}

function PickedCount({ picking }: PickedBarProps) {
  const i18n = useI18n();
  return (
    <>
      <span className={classes.count} role="status">
        {i18n.t('streams.picked.count', { count: picking.picked.size })}
      </span>
      {!picking.hasAll && (
        <Button size="sm" variant="subtle" loading={picking.isLoading} onClick={picking.pickAll}>
          {i18n.t('streams.pick.all')}
        </Button>
      )}
    </>
  );
}

interface PickedActionsProps extends PickedBarProps {
  readonly onRun: (work: Work) => void;
  /** Opens the dialog of an action that needs one. */
  readonly onAsk: (dialog: Dialog) => void;
}

function PickedActions({ picking, onRun, onAsk }: PickedActionsProps) {
  const i18n = useI18n();
  const isNone = picking.picked.size === 0;
  return (
    <div className={classes.actions}>
      <Button size="sm" variant="default" disabled={isNone} onClick={() => onRun({ kind: 'pause' })}>
        {i18n.t('streams.pause')}
      </Button>
      <Button size="sm" variant="default" disabled={isNone} onClick={() => onRun({ kind: 'resume' })}>
        {i18n.t('streams.resume')}
      </Button>
      <Button size="sm" variant="default" disabled={isNone} onClick={() => onAsk('tags')}>
        {i18n.t('streams.picked.tags')}
      </Button>
      <Button size="sm" variant="outline" color="red" disabled={isNone} onClick={() => onAsk('delete')}>
        {i18n.t('streams.picked.delete')}
      </Button>
      <CloseButton size="md" aria-label={i18n.t('streams.pick.end')} onClick={picking.end} />
    </div>
  );
}
