import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { healthQuery } from '../api/health.ts';
import { useI18n } from '../i18n/i18n-context.tsx';
import { wordsOf } from './failures.ts';

/** Beside the warning that the archive's disk is empty: an administrator takes it, after a question, or waits for the old one. */
export function UseDisk() {
  const i18n = useI18n();
  const queryClient = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const use = useMutation({
    mutationFn: () => api.useArchiveDisk({}),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: healthQuery.queryKey }),
  });
  if (!isAsked) {
    return (
      <Button size="compact-sm" variant="default" onClick={() => setIsAsked(true)}>
        {i18n.t('warning.archiveDiskEmpty.use')}
      </Button>
    );
  }
  return (
    <Group gap="xs" display="inline-flex">
      <span>{use.error ? wordsOf(use.error, i18n) : i18n.t('warning.archiveDiskEmpty.sure')}</span>
      <Button size="compact-sm" loading={use.isPending} onClick={() => use.mutate()}>
        {i18n.t('warning.archiveDiskEmpty.yes')}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => setIsAsked(false)}>
        {i18n.t('warning.archiveDiskEmpty.wait')}
      </Button>
    </Group>
  );
}
