import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeleteStream } from '../../api/streams.ts';
import { notifySuccess } from '../../app/notify.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';

/** Deleting a stream: keeping its recordings needs one click, deleting them needs its name typed. */
export function DeleteStream({ uid, name }: { uid: string; name: string }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const remove = useDeleteStream(uid);
  const [isOpen, setOpen] = useState(false);
  const [purge, setPurge] = useState(false);
  const [typed, setTyped] = useState('');
  const isConfirmed = !purge || typed.trim() === name;
  const close = () => {
    setOpen(false);
    setPurge(false);
    setTyped('');
  };
  const submit = () =>
    remove.mutate(
      { purge },
      {
        onSuccess: () => {
          notifySuccess(i18n.t('stream.deleted', { name }));
          void navigate({ to: '/streams', ignoreBlocker: true });
        },
      },
    );
  return (
    <>
      <Button size="sm" variant="outline" color="red" onClick={() => setOpen(true)}>
        {i18n.t('stream.delete', { name })}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={i18n.t('stream.delete.title', { name })}
        closeButtonProps={{ 'aria-label': i18n.t('action.close') }}
      >
        <Stack gap="md">
          <Radio.Group
            aria-label={i18n.t('stream.delete.title', { name })}
            value={purge ? 'purge' : 'keep'}
            onChange={(value) => setPurge(value === 'purge')}
          >
            <Stack gap="sm">
              <Radio value="keep" label={i18n.t('stream.delete.keep')} />
              <Radio value="purge" label={i18n.t('stream.delete.purge')} />
            </Stack>
          </Radio.Group>
          {purge && (
            <TextInput
              size="sm"
              label={i18n.t('stream.delete.confirm', { name })}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
          <Group gap={8}>
            <Button size="sm" color="red" loading={remove.isPending} disabled={!isConfirmed} onClick={submit}>
              {i18n.t(purge ? 'stream.delete.submitPurge' : 'stream.delete.submit', { name })}
            </Button>
            <Button size="sm" variant="default" onClick={close}>
              {i18n.t('action.cancel')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
