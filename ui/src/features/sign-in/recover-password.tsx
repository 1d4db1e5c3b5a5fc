import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '@vidette/contract/client';
import { api } from '../../api/api.ts';
import { fieldErrorsOf } from '../../api/field-errors.ts';
import { sendPasswordReset } from './password-reset-api.ts';
import { useSettings } from '../../api/session.ts';
import { textOf } from '../../page/failures.ts';
import { notifySuccess } from '../../page/notify.ts';
import { AccountFrame } from './account-frame.tsx';
import { Form, FormActions } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { Link } from '../../routing/react/link.tsx';
import { useNavigate } from '../../routing/react/router-context.tsx';

/** Password recovery [R2.3, R4.10]: an e-mail with a code, then a new password by that code. */
export function RecoverPasswordScreen() {
  const i18n = useI18n();
  const settings = useSettings();
  return (
    <AccountFrame
      appTitle={settings.appTitle}
      appLogo={settings.appLogo}
      title={i18n.t('title.recover')}
      text={settings.passwordResetAllowed ? i18n.t('recover.text') : undefined}
    >
      {settings.passwordResetAllowed ? <RecoveryForm /> : <Notice>{i18n.t('recover.off')}</Notice>}
      <Button component={Link} to="/auth" size="sm" variant="subtle" fullWidth mt={8}>
        {i18n.t('recover.back')}
      </Button>
    </AccountFrame>
  );
}

function RecoveryForm() {
  const i18n = useI18n();
  const [email, setEmail] = useState('');
  const { send, waitSeconds } = useSendCode(email);
  const { reset, code, setCode, password, setPassword, fieldErrors } = useNewPassword(email);
  const failure = send.error ?? (Object.keys(fieldErrors).length > 0 ? null : reset.error);
  return (
    <Form
      onSubmit={() => (send.isSuccess ? reset.mutate() : send.mutate())}
      failure={failure ? failureText(failure, email, i18n) : null}
    >
      <TextInput
        type="email"
        label={i18n.t('account.email')}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        autoComplete="email"
        disabled={send.isPending || reset.isPending}
      />
      {send.isSuccess && (
        <>
          <TextInput
            label={i18n.t('recover.code')}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            autoComplete="one-time-code"
            error={fieldErrors['code']}
          />
          <PasswordField
            label={i18n.t('account.newPassword')}
            description={i18n.t('account.password.rules')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="new-password"
            error={fieldErrors['password']}
          />
        </>
      )}
      <FormActions>
        {send.isSuccess && (
          <Button
            type="submit"
            size="sm"
            fullWidth
            loading={reset.isPending}
            disabled={!code.trim() || !password}
          >
            {i18n.t('recover.submit')}
          </Button>
        )}
        <SendButton send={send} waitSeconds={waitSeconds} hasEmail={email.trim() !== ''} />
      </FormActions>
    </Form>
  );
}

/** Sending a code to an address, and the seconds until another one may be sent. */
function useSendCode(email: string) {
  const i18n = useI18n();
  const [waitSeconds, setWaitSeconds] = useCountdown();
  const send = useMutation({
    mutationFn: () => sendPasswordReset(email.trim(), i18n.language),
    onSuccess: (seconds) => {
      setWaitSeconds(seconds);
      notifySuccess(i18n.t('recover.sent', { email: email.trim() }));
    },
    onError: (error) => {
      if (error instanceof ApiError && error.retryAfterSeconds) setWaitSeconds(error.retryAfterSeconds);
    },
  });
  return { send, waitSeconds };
}

/** The code from the e-mail and the new password, and setting it. */
function useNewPassword(email: string) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const reset = useMutation({
    mutationFn: () => api.resetPassword({ body: { code: code.trim(), password, email: email.trim() } }),
    onSuccess: () => navigate({ to: '/auth', search: { recover: true } }),
  });
  const fieldErrors = fieldErrorsOf(reset.error, i18n, {
    UnknownLifetimeCode: 'code',
    PasswordIsNotComplexEnough: 'password',
  });
  return { reset, code, setCode, password, setPassword, fieldErrors };
}

function failureText(error: Error, email: string, i18n: I18n): string {
  return error instanceof ApiError && error.code === 'NotFound'
    ? i18n.t('recover.unknown', { email: email.trim() })
    : textOf(error, i18n);
}

interface SendButtonProps {
  readonly send: ReturnType<typeof useSendCode>['send'];
  readonly waitSeconds: number;
  readonly hasEmail: boolean;
}

/** Submits the form until a code has been sent; after that it sends another one. */
function SendButton({ send, waitSeconds, hasEmail }: SendButtonProps) {
  const i18n = useI18n();
  const isSent = send.isSuccess || send.submittedAt > 0;
  return (
    <Button
      type={send.isSuccess ? 'button' : 'submit'}
      variant={send.isSuccess ? 'default' : 'filled'}
      size="sm"
      fullWidth
      loading={send.isPending}
      disabled={!hasEmail || waitSeconds > 0}
      onClick={send.isSuccess ? () => send.mutate() : undefined}
    >
      {waitSeconds > 0
        ? i18n.t('recover.wait', { time: i18n.duration(waitSeconds * 1000) })
        : i18n.t(isSent ? 'recover.sendAgain' : 'recover.send')}
    </Button>
  );
}

/** Whole seconds left, counting down by itself. */
function useCountdown(): [number, (seconds: number) => void] {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (seconds <= 0) return;
    const timer = setTimeout(() => setSeconds(seconds - 1), 1000);
    return () => clearTimeout(timer);
  }, [seconds]);
  return [seconds, setSeconds];
}
