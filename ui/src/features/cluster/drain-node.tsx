import { Button, Group, Stack } from '@mantine/core';
import type { ClusterNode } from '@vidette/contract/entities';
import { useState } from 'react';
import { useDrainNode } from './cluster-api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';

/** Draining a node, after explaining what happens to its streams. */
export function DrainNode({ node }: { node: ClusterNode }) {
  const i18n = useI18n();
  const drain = useDrainNode(node.id);
  const [isOpen, setOpen] = useState(false);
  const { name, streams, successors } = node;
  const close = () => setOpen(false);
  return (
    <>
      <Button size="sm" variant="outline" color="red" onClick={() => setOpen(true)}>
        {i18n.t('cluster.drain', { name })}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={i18n.t('cluster.drain.title', { name })}>
        <Stack gap="md">
          <p>
            {successors === 0
              ? i18n.t('cluster.drain.stops', { count: streams })
              : i18n.t('cluster.drain.moves', { count: streams })}
          </p>
          <Group gap={8}>
            <Button
              size="sm"
              color="red"
              loading={drain.isPending}
              onClick={() => drain.mutate(true, { onSuccess: close })}
            >
              {i18n.t('cluster.drain', { name })}
            </Button>
            <Button size="sm" variant="default" onClick={close}>
              {i18n.t('action.cancel')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
