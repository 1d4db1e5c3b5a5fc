import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useDeleteUser } from '../users-api.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { useNavigate } from '../../../routing/react/router-context.tsx';

/** Deleting a user, whose login has to be typed: a deleted account can't be restored. */
export function DeleteUser({ login }: { login: string }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const remove = useDeleteUser(login);
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const submit = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        notifySuccess(i18n.t('user.deleted', { name: login }));
        void navigate({ to: '/administration/users', ignoreBlocker: true });
      },
    });
  return (
    <>
      <Button size="sm" variant="outline" color="red" onClick={() => setOpen(true)}>
        {i18n.t('user.delete', { name: login })}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={i18n.t('stream.delete.title', { name: login })}
      >
        <Stack gap="md">
          <TextInput
            size="sm"
            label={i18n.t('stream.delete.confirm', { name: login })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
          <Group gap={8}>
            <Button
              size="sm"
              color="red"
              loading={remove.isPending}
              disabled={typed.trim() !== login}
              onClick={submit}
            >
              {i18n.t('stream.delete.submit', { name: login })}
            </Button>
            <Button size="sm" variant="default" onClick={() => setOpen(false)}>
              {i18n.t('action.cancel')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
