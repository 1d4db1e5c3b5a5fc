import { Button } from '@mantine/core';
import type { ClusterNode } from '@vidette/contract/entities';
import { useForgetNode } from './cluster-api.ts';
import { notifyDone } from '../../page/notify.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';

/** Removing a node that no longer exists; if it comes back, it reappears in the list. */
export function ForgetNode({ node }: { node: ClusterNode }) {
  const i18n = useI18n();
  const forget = useForgetNode(node.id);
  const submit = () =>
    notifyDone(forget.mutateAsync(undefined), i18n.t('cluster.forgotten', { name: node.name }));
  return (
    <Button size="sm" variant="default" loading={forget.isPending} onClick={submit}>
      {i18n.t('cluster.forget', { name: node.name })}
    </Button>
  );
}
