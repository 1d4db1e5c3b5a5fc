import { Button } from '@mantine/core';
import IconServer2 from '@tabler/icons-react/dist/esm/icons/IconServer2.mjs';
import IconServerOff from '@tabler/icons-react/dist/esm/icons/IconServerOff.mjs';
import { useQuery } from '@tanstack/react-query';
import { clusterNodesQuery, useDrainNode } from './cluster-api.ts';
import { healthQuery } from '../../api/health.ts';
import { useSettings } from '../../api/session.ts';
import { codeOf, textOf } from '../../page/failures.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageState } from '../../components/page-state.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import classes from './cluster.module.css';
import { Invitations } from './invitations.tsx';
import { NodeCard } from './node-card.tsx';

/** The servers that share one configuration [R2.14]: the state of each, draining and resuming. */
export function ClusterScreen() {
  const i18n = useI18n();
  const query = useQuery(clusterNodesQuery);
  if (query.error && isUnlicensed(query.error)) return <UnlicensedState error={query.error} />;
  return (
    <Loaded query={query} skeletonPx={280}>
      {({ items }) => (
        <div className={classes.nodes}>
          {items.length === 1 && <Notice>{i18n.t('cluster.alone')}</Notice>}
          {items.map((node) => (
            <NodeCard key={node.id} node={node} />
          ))}
          <Invitations />
        </div>
      )}
    </Loaded>
  );
}

function isUnlicensed(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EnterpriseOnly' || code === 'FeatureNotFound';
}

/** The license does not cover it: the reason, and a link to replace the license, or to end a drain. */
function UnlicensedState({ error }: { error: unknown }) {
  const i18n = useI18n();
  const { data: health } = useQuery(healthQuery);
  const { nodeID } = useSettings();
  const isDrained = health?.warnings.some(({ code }) => code === 'cluster-node-drained') ?? false;
  if (isDrained && nodeID !== null) {
    return (
      <PageState
        isInline
        icon={IconServerOff}
        title={i18n.t('cluster.drained.title')}
        text={i18n.t('cluster.drained.text')}
        action={<ReturnButton id={nodeID} />}
      />
    );
  }
  return (
    <PageState
      isInline
      icon={IconServer2}
      title={textOf(error, i18n)}
      text={i18n.t('cluster.unlicensed')}
      action={
        <Button
          size="sm"
          variant="default"
          renderRoot={(props) => <Link to="/administration/license" {...props} />}
        >
          {i18n.t('cluster.license')}
        </Button>
      }
    />
  );
}

function ReturnButton({ id }: { id: string }) {
  const i18n = useI18n();
  const drain = useDrainNode(id);
  return (
    <Button size="sm" loading={drain.isPending} onClick={() => drain.mutate(false)}>
      {i18n.t('cluster.return', { name: id })}
    </Button>
  );
}
