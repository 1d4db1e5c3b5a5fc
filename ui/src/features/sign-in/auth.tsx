import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api/api.ts';
import { useSettings } from '../../api/session.ts';
import { useEnter } from './enter.ts';
import { textOf } from '../../page/failures.ts';
import { AccountFrame } from './account-frame.tsx';
import { Form, FormActions } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { useSearch } from '../../routing/react/router-context.tsx';

/** Signing in [R2.2]: gives the reason, when a session has ended or a password was just changed. */
export function AuthScreen() {
  const i18n = useI18n();
  const settings = useSettings();
  const { recover, expired } = useSearch({ from: '/auth' });
  const enter = useEnter();
  const [name, setName] = useState(settings.kioskPrefillUser ?? '');
  const [password, setPassword] = useState(settings.kioskPrefillPassword ?? '');
  const signIn = useMutation({
    mutationFn: () => api.signIn({ body: { name: name.trim(), password } }),
    onSuccess: ({ user, mustChangePassword }) => enter(user, mustChangePassword),
    onError: () => fieldOf('password')?.select(),
  });
  // The first field is the only reason to open this screen.
  useEffect(() => fieldOf('username')?.focus(), []);
  const submit = () => {
    const missing = name.trim() === '' ? 'username' : password === '' ? 'password' : null;
    if (missing) fieldOf(missing)?.focus();
    else signIn.mutate();
  };
  return (
    <AccountFrame appTitle={settings.appTitle} appLogo={settings.appLogo} title={i18n.t('auth.title')}>
      <Form onSubmit={submit} failure={signIn.error ? textOf(signIn.error, i18n) : null}>
        {recover && <Notice>{i18n.t('auth.recovered')}</Notice>}
        {expired && !recover && <Notice>{i18n.t('auth.expired')}</Notice>}
        <TextInput
          name="username"
          label={i18n.t('account.login')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
        />
        <PasswordField
          name="password"
          label={i18n.t('account.password')}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="current-password"
          required
          withAsterisk={false}
        />
        <FormActions>
          <Button type="submit" size="sm" fullWidth loading={signIn.isPending}>
            {i18n.t('auth.submit')}
          </Button>
          {settings.passwordResetAllowed && (
            <Button component={Link} to="/recover-password" size="sm" variant="subtle" fullWidth>
              {i18n.t('auth.recover')}
            </Button>
          )}
        </FormActions>
      </Form>
    </AccountFrame>
  );
}

function fieldOf(name: 'username' | 'password'): HTMLInputElement | null {
  return document.querySelector(`input[name="${name}"]`);
}
