import { Button, Group, Stack, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { limits } from '@vidette/contract/constants';
import { useState, type FormEvent } from 'react';
import { streamTagsQuery } from '../streams-api.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Picked } from './picked.ts';

interface TagsFormProps {
  readonly picked: Picked;
  readonly onChange: (added: readonly string[], removed: readonly string[]) => void;
  readonly onClose: () => void;
}

/** The tags to add to and remove from the selected streams; their other tags stay. */
export function TagsDialog({ isOpen, ...form }: TagsFormProps & { readonly isOpen: boolean }) {
  const i18n = useI18n();
  return (
    <Dialog
      isOpen={isOpen}
      onClose={form.onClose}
      title={i18n.t('streams.picked.tags.title', { count: form.picked.size })}
    >
      <TagsForm {...form} />
    </Dialog>
  );
}

function TagsForm({ picked, onChange, onClose }: TagsFormProps) {
  const i18n = useI18n();
  const { data } = useQuery(streamTagsQuery);
  const [added, setAdded] = useState<string[]>([]);
  const [removed, setRemoved] = useState<string[]>([]);
  const isReady = added.length + removed.length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onChange(added, removed);
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <TagsInput
          withScrollArea={false}
          size="sm"
          data-autofocus
          openOnFocus={false}
          label={i18n.t('streams.picked.tags.add')}
          description={i18n.t('stream.tags.help')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          maxTags={limits.tagsMax}
          value={added}
          onChange={setAdded}
          data={data?.items.map(({ name }) => name) ?? []}
        />
        <TagsInput
          withScrollArea={false}
          size="sm"
          label={i18n.t('streams.picked.tags.remove')}
          maxTags={limits.tagsMax}
          value={removed}
          onChange={setRemoved}
          data={[...new Set([...picked.values()].flatMap(({ tags }) => tags))]}
        />
        <Group gap={8}>
          <Button type="submit" size="sm" disabled={!isReady}>
            {i18n.t('streams.picked.tags.submit')}
          </Button>
          <Button size="sm" variant="default" onClick={onClose}>
            {i18n.t('action.cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
