import { Button } from '@mantine/core';
import { useI18n } from '../i18n/i18n-context.tsx';
import { FormActions } from './form.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';

interface SaveActionsProps {
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  readonly onDiscard: () => void;
}

/** The end of a form that changes what is saved: Save, Discard changes, and the question before it is left. */
export function SaveActions({ isDirty, isSaving, onDiscard }: SaveActionsProps) {
  const i18n = useI18n();
  return (
    <>
      <FormActions>
        <Button type="submit" size="sm" loading={isSaving} disabled={!isDirty}>
          {i18n.t('action.save')}
        </Button>
        {isDirty && (
          <Button size="sm" variant="default" onClick={onDiscard}>
            {i18n.t('stream.discard')}
          </Button>
        )}
      </FormActions>
      <UnsavedGuard isDirty={isDirty && !isSaving} />
    </>
  );
}
