import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { haveImportedQuery } from '../streams-api.ts';

interface DeleteFormProps {
  /** The streams to delete. */
  readonly uids: readonly string[];
  /** The question, used as the dialog's title. */
  readonly title: string;
  /** The text that has to be typed before recordings are deleted. */
  readonly confirmWord: string;
  /** The label of the main button, without and with the recordings. */
  readonly labels: { readonly keep: string; readonly purge: string };
  readonly isDeleting: boolean;
  readonly onDelete: (purge: boolean) => void;
  readonly onClose: () => void;
}

/** Asks what to delete: keeping the recordings takes one click, deleting them a typed word. */
export function DeleteDialog({ isOpen, ...form }: DeleteFormProps & { readonly isOpen: boolean }) {
  return (
    <Dialog isOpen={isOpen} onClose={form.onClose} title={form.title}>
      <DeleteForm {...form} />
    </Dialog>
  );
}

function DeleteForm({ uids, title, confirmWord, labels, isDeleting, onDelete, onClose }: DeleteFormProps) {
  const i18n = useI18n();
  const [purge, setPurge] = useState(false);
  const [typed, setTyped] = useState('');
  const { data: haveImported = false } = useQuery(haveImportedQuery(uids));
  const isConfirmed = !purge || typed.trim() === confirmWord;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isConfirmed && !isDeleting) onDelete(purge);
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <Radio.Group
          aria-label={title}
          value={purge ? 'purge' : 'keep'}
          onChange={(value) => setPurge(value === 'purge')}
        >
          <Stack gap="sm">
            <Radio value="keep" label={i18n.t('stream.delete.keep')} data-autofocus />
            <Radio value="purge" label={i18n.t('stream.delete.purge')} />
          </Stack>
        </Radio.Group>
        {haveImported && <Text size="sm">{i18n.t('stream.delete.imported')}</Text>}
        {purge && (
          <TextInput
            size="sm"
            label={i18n.t('stream.delete.confirm', { name: confirmWord })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
        <Group gap={8}>
          <Button type="submit" size="sm" color="red" loading={isDeleting} disabled={!isConfirmed}>
            {purge ? labels.purge : labels.keep}
          </Button>
          <Button size="sm" variant="default" onClick={onClose}>
            {i18n.t('action.cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
