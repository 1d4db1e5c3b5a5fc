import { Button, CloseButton } from '@mantine/core';
import { useState } from 'react';
import { notifySuccess } from '../../../page/notify.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { useNavigate } from '../../../routing/react/router-context.tsx';
import { DeleteDialog } from '../details/delete-dialog.tsx';
import classes from './picked-bar.module.css';
import { OutcomeView, workText } from './picked-outcome.tsx';
import { TagsDialog } from './tags-dialog.tsx';
import type { Picked } from './picked.ts';
import { togetherMax, writeTogether } from '../together.ts';
import type { Picking } from './use-picking.ts';
import { usePickedWork, type Work, type WorkState } from './use-picked-work.ts';

type Dialog = 'tags' | 'delete';

interface PickingProps {
  readonly picking: Picking;
}

interface PickedBarProps extends PickingProps {
  /** The viewer may edit some of the streams. */
  readonly mayChange: boolean;
}

/**
 * The actions for the selected streams, at the bottom of the window; then their progress, and their outcome.
 */
export function PickedBar({ picking, mayChange }: PickedBarProps) {
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
      <div className={classes.actions}>
        <WatchTogether picked={picked} />
        {mayChange && <PickedChanges picked={picked} onRun={run} onAsk={setDialog} />}
        <CloseButton size="md" aria-label={i18n.t('streams.pick.end')} onClick={picking.end} />
      </div>
      <TagsDialog
        isOpen={dialog === 'tags'}
        picked={picked}
        onChange={(added, removed) => run({ kind: 'tags', added, removed })}
        onClose={() => setDialog(null)}
      />
      <DeleteDialog
        isOpen={dialog === 'delete'}
        uids={[...picked.keys()]}
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

function PickedCount({ picking }: PickingProps) {
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

/** Opens the selected streams as a wall, in the order of their selection. */
function WatchTogether({ picked }: { picked: Picked }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const isTooMany = picked.size > togetherMax;
  return (
    <Button
      size="sm"
      disabled={picked.size === 0 || isTooMany}
      title={isTooMany ? i18n.t('streams.picked.watch.most', { count: togetherMax }) : undefined}
      onClick={() => void navigate({ to: '/wall', search: { streams: writeTogether([...picked.keys()]) } })}
    >
      {i18n.t('streams.picked.watch')}
    </Button>
  );
}

interface PickedChangesProps {
  readonly picked: Picked;
  readonly onRun: (work: Work) => void;
  /** Opens the dialog of an action that needs one. */
  readonly onAsk: (dialog: Dialog) => void;
}

/** The actions that change the selected streams; only for streams that the viewer may all edit. */
function PickedChanges({ picked, onRun, onAsk }: PickedChangesProps) {
  const i18n = useI18n();
  const areOwn = [...picked.values()].every(({ canEdit }) => canEdit);
  const common = {
    size: 'sm',
    disabled: picked.size === 0 || !areOwn,
    title: areOwn ? undefined : i18n.t('streams.picked.notOwn'),
  } as const;
  return (
    <>
      <Button {...common} variant="default" onClick={() => onRun({ kind: 'pause' })}>
        {i18n.t('streams.pause')}
      </Button>
      <Button {...common} variant="default" onClick={() => onRun({ kind: 'resume' })}>
        {i18n.t('streams.resume')}
      </Button>
      <Button {...common} variant="default" onClick={() => onAsk('tags')}>
        {i18n.t('streams.picked.tags')}
      </Button>
      <Button {...common} variant="outline" color="red" onClick={() => onAsk('delete')}>
        {i18n.t('streams.picked.delete')}
      </Button>
    </>
  );
}
