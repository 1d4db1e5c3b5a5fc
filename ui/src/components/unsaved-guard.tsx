import { Button, Group, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n-context.tsx';

/** Asks before a form with unsaved changes is left, by a link, by Back, or by closing the tab. */
export function UnsavedGuard({ isDirty }: { isDirty: boolean }) {
  const i18n = useI18n();
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
    withResolver: true,
  });
  return (
    <Modal
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={i18n.t('unsaved.title')}
      closeButtonProps={{ 'aria-label': i18n.t('action.close') }}
    >
      <p>{i18n.t('unsaved.text')}</p>
      <Group gap={8} mt="md">
        <Button size="sm" onClick={() => blocker.reset?.()}>
          {i18n.t('unsaved.stay')}
        </Button>
        <Button size="sm" variant="default" onClick={() => blocker.proceed?.()}>
          {i18n.t('unsaved.leave')}
        </Button>
      </Group>
    </Modal>
  );
}
