import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import { healthQuery } from '../../api/health.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { textOf } from '../../page/failures.ts';

/**
 * The control next to the warning that the archive's disk is empty: an administrator can accept the new disk
 * after a confirmation, or wait for the old one.
 */
export function UseDisk() {
  const i18n = useI18n();
  const queryClient = useQueryClient();
  // Undefined until the button is first pressed: the focus moves only after that.
  const [isAsked, setIsAsked] = useState<boolean>();
  const first = useRef<HTMLButtonElement>(null);
  const wait = useRef<HTMLButtonElement>(null);
  const use = useMutation({
    mutationFn: () => api.useArchiveDisk({}),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: healthQuery.queryKey }),
  });
  // The button that had the focus has been replaced.
  useEffect(() => {
    if (isAsked !== undefined) (isAsked ? wait : first).current?.focus();
  }, [isAsked]);
  if (!isAsked) {
    return (
      <Button ref={first} size="compact-sm" variant="default" onClick={() => setIsAsked(true)}>
        {i18n.t('warning.archiveDiskEmpty.use')}
      </Button>
    );
  }
  const cancel = () => {
    setIsAsked(false);
    use.reset();
  };
  return (
    <Group
      gap="xs"
      display="inline-flex"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // The list around it stays open.
        event.preventDefault();
        cancel();
      }}
    >
      <span role={use.error ? 'alert' : undefined}>
        {use.error ? textOf(use.error, i18n) : i18n.t('warning.archiveDiskEmpty.sure')}
      </span>
      <Button size="compact-sm" loading={use.isPending} onClick={() => use.mutate()}>
        {i18n.t('warning.archiveDiskEmpty.yes')}
      </Button>
      <Button ref={wait} size="compact-sm" variant="default" onClick={cancel}>
        {i18n.t('warning.archiveDiskEmpty.wait')}
      </Button>
    </Group>
  );
}
