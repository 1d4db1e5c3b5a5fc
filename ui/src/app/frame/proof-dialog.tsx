import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState, type FormEvent } from 'react';
import { api } from '../../api/api.ts';
import type { ProofRequest } from '../../api/proof.ts';
import { PasswordField } from '../../components/password-field.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { codeOf, textOf } from '../../page/failures.ts';

/** Asks for the password before an action that a stolen session must not perform. */
export function ProofDialog({ request }: { request: ProofRequest }) {
  const i18n = useI18n();
  const [password, setPassword] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const confirm = useMutation({
    mutationFn: () => api.confirmPassword({ body: { password } }),
    onSuccess: request.confirm,
    onError: () => {
      setPassword('');
      // The button that had the focus is disabled now.
      field.current?.focus();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The form of the screen below is an ancestor in React, though not in the document.
    event.stopPropagation();
    if (password !== '' && !confirm.isPending) confirm.mutate();
  };
  const failure = confirm.error && failureText(confirm.error, i18n);
  return (
    <Dialog isOpen onClose={request.cancel} title={i18n.t('account.proof.title')}>
      <form noValidate onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{i18n.t('account.proof.text')}</Text>
          <PasswordField
            ref={field}
            size="sm"
            label={i18n.t('account.password')}
            autoComplete="current-password"
            data-autofocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={failure}
          />
          <Group gap={8}>
            <Button type="submit" size="sm" loading={confirm.isPending} disabled={password === ''}>
              {i18n.t('account.proof.submit')}
            </Button>
            <Button size="sm" variant="default" onClick={request.cancel}>
              {i18n.t('action.cancel')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** The code belongs to the password change, where the field is called the old password. */
function failureText(error: unknown, i18n: I18n): string {
  return codeOf(error) === 'InvalidOldPassword' ? i18n.t('account.proof.wrong') : textOf(error, i18n);
}
