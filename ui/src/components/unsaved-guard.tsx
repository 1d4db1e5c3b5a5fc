import { Button, Group } from '@mantine/core';
import { Dialog } from './dialog.tsx';
import { useI18n } from '../i18n/i18n-context.tsx';
import { useBlocker } from '../routing/react/use-blocker.ts';

/**
 * Asks for confirmation before a form with unsaved changes is left, by a link, by Back, or by closing the tab.
 */
export function UnsavedGuard({ isDirty }: { isDirty: boolean }) {
  const i18n = useI18n();
  const held = useBlocker(isDirty);
  return (
    <Dialog isOpen={held !== null} onClose={() => held?.stay()} title={i18n.t('unsaved.title')}>
      <p>{i18n.t('unsaved.text')}</p>
      <Group gap={8} mt="md">
        <Button size="sm" onClick={() => held?.stay()}>
          {i18n.t('unsaved.stay')}
        </Button>
        <Button size="sm" variant="default" onClick={() => held?.go()}>
          {i18n.t('unsaved.leave')}
        </Button>
      </Group>
    </Dialog>
  );
}
