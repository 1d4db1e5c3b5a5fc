import { Button } from '@mantine/core';
import type { ClusterNode } from '@vidette/contract/entities';
import { useForgetNode } from '../../api/cluster.ts';
import { notifySuccess } from '../../app/notify.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';

/** Forgetting a node that is gone; should it come back, it is in the list again. */
export function ForgetNode({ node }: { node: ClusterNode }) {
  const i18n = useI18n();
  const forget = useForgetNode(node.id);
  const submit = () =>
    forget.mutate(undefined, {
      onSuccess: () => notifySuccess(i18n.t('cluster.forgotten', { name: node.name })),
    });
  return (
    <Button size="sm" variant="default" loading={forget.isPending} onClick={submit}>
      {i18n.t('cluster.forget', { name: node.name })}
    </Button>
  );
}
