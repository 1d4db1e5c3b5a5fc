import { Button } from '@mantine/core';
import type { ClusterNode } from '@vidette/contract/entities';
import { useDrainNode } from './cluster-api.ts';
import { notifySuccess } from '../../page/notify.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import classes from './cluster.module.css';
import { DrainNode } from './drain-node.tsx';
import { ForgetNode } from './forget-node.tsx';
import { NodeStateMark } from './node-state-mark.tsx';
import { RenameNode } from './rename-node.tsx';

/** One node: its state, its workload, and its actions. */
export function NodeCard({ node }: { node: ClusterNode }) {
  const i18n = useI18n();
  return (
    <section className={classes.node} aria-label={node.name}>
      <header className={classes.head}>
        <div className={classes.title}>
          <h2 className={classes.name}>{node.name}</h2>
          <NodeStateMark state={node.state} />
          {node.isSelf && <span className={classes.quiet}>{i18n.t('cluster.self')}</span>}
        </div>
        <div className={classes.actions}>
          <RenameNode node={node} />
          {node.isDrained ? <ReturnNode node={node} /> : node.available && <DrainNode node={node} />}
          {!node.available && <ForgetNode node={node} />}
        </div>
      </header>
      {node.isDrained && <DrainProgress node={node} />}
      <Facts>
        <Fact label={i18n.t('cluster.streams')}>{streamText(node, i18n)}</Fact>
        {node.startedTime !== null && node.lastSeenTime !== null && (
          <Fact label={i18n.t('stats.uptime')}>
            {i18n.duration(wholeSeconds(node.lastSeenTime - node.startedTime))}
          </Fact>
        )}
        {!node.available && node.lastSeenTime !== null && (
          <Fact label={i18n.t('cluster.lastSeen')}>{i18n.dateTime(node.lastSeenTime)}</Fact>
        )}
        <Fact label={i18n.t('cluster.version')}>{node.version}</Fact>
        <Fact label={i18n.t('cluster.id')}>{node.id}</Fact>
      </Facts>
    </section>
  );
}

/** The progress of a drain, as a bar and in numbers. */
function DrainProgress({ node }: { node: ClusterNode }) {
  const i18n = useI18n();
  const { activeStreams, streams, successors } = node;
  const isDone = node.state !== 'draining';
  const words = isDone
    ? i18n.t(successors === 0 ? 'cluster.drained.stopped' : 'cluster.drained.moved')
    : i18n.t('cluster.draining', { left: activeStreams, total: streams });
  return (
    <div className={classes.progress} role="status">
      {!isDone && <progress max={streams} value={streams - activeStreams} aria-label={words} />}
      <p>{words}</p>
    </div>
  );
}

function ReturnNode({ node }: { node: ClusterNode }) {
  const i18n = useI18n();
  const drain = useDrainNode(node.id);
  const submit = () =>
    drain.mutate(false, {
      onSuccess: () => notifySuccess(i18n.t('cluster.returned', { name: node.name })),
    });
  return (
    <Button size="sm" loading={drain.isPending} onClick={submit}>
      {i18n.t('cluster.return', { name: node.name })}
    </Button>
  );
}

function streamText({ streams, activeStreams, capacity, available }: ClusterNode, i18n: I18n): string {
  const all =
    capacity === null
      ? i18n.t('cluster.streams.count', { count: streams })
      : i18n.t('cluster.streams.ofCapacity', {
          streams: i18n.number(streams),
          capacity: i18n.number(capacity),
        });
  return available ? i18n.t('cluster.streams.active', { all, active: i18n.number(activeStreams) }) : all;
}

function wholeSeconds(durationMs: number): number {
  return Math.round(Math.max(0, durationMs) / 1_000) * 1_000;
}
