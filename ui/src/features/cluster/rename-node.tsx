import { Button, TextInput } from '@mantine/core';
import { limits } from '@vidette/contract/constants';
import type { ClusterNode } from '@vidette/contract/entities';
import { useState } from 'react';
import { useRenameNode } from './cluster-api.ts';
import { fieldErrorsOf } from '../../api/field-errors.ts';
import { Form, FormActions } from '../../components/form.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';

/** Renaming a node; its id stays. */
export function RenameNode({ node }: { node: ClusterNode }) {
  const i18n = useI18n();
  const rename = useRenameNode(node.id);
  const [typed, setTyped] = useState<string | null>(null);
  const close = () => setTyped(null);
  const name = typed?.trim() ?? '';
  const submit = () => {
    if (name !== '') rename.mutate(name, { onSuccess: close });
  };
  return (
    <>
      <Button
        size="sm"
        variant="default"
        aria-label={i18n.t('cluster.rename.title', { name: node.name })}
        onClick={() => setTyped(node.name)}
      >
        {i18n.t('cluster.rename')}
      </Button>
      <Dialog
        isOpen={typed !== null}
        onClose={close}
        title={i18n.t('cluster.rename.title', { name: node.name })}
      >
        <Form onSubmit={submit}>
          <TextInput
            size="sm"
            label={i18n.t('cluster.name')}
            maxLength={limits.nameMaxLength}
            autoComplete="off"
            data-autofocus
            value={typed ?? ''}
            error={fieldErrorsOf(rename.error, i18n, {})['name']}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <FormActions>
            <Button
              type="submit"
              size="sm"
              loading={rename.isPending}
              disabled={name === '' || name === node.name}
            >
              {i18n.t('action.save')}
            </Button>
            <Button size="sm" variant="default" onClick={close}>
              {i18n.t('action.cancel')}
            </Button>
          </FormActions>
        </Form>
      </Dialog>
    </>
  );
}
