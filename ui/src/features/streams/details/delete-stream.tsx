import { Button } from '@mantine/core';
import { useState } from 'react';
import { useDeleteStream } from '../streams-api.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { useNavigate } from '../../../routing/react/router-context.tsx';
import { DeleteDialog } from './delete-dialog.tsx';

/** Deleting a stream: keeping its recordings takes one click, deleting them takes its typed name. */
export function DeleteStream({ uid, name }: { uid: string; name: string }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const remove = useDeleteStream(uid);
  const [isOpen, setOpen] = useState(false);
  const submit = (purge: boolean) =>
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
      <DeleteDialog
        isOpen={isOpen}
        uids={[uid]}
        title={i18n.t('stream.delete.title', { name })}
        confirmWord={name}
        labels={{
          keep: i18n.t('stream.delete.submit', { name }),
          purge: i18n.t('stream.delete.submitPurge', { name }),
        }}
        isDeleting={remove.isPending}
        onDelete={submit}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
