import { Button, Checkbox } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import type { User } from '@vidette/contract/entities';
import { fieldErrorsOf, focusFirstError } from '../../../api/field-errors.ts';
import { useSaveProfile } from '../account-api.ts';
import { NameAndEmail } from '../name-and-email.tsx';
import { useUser } from '../../../api/session.ts';
import { textOf } from '../../../page/failures.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { Form, FormActions, FormSection } from '../../../components/form.tsx';
import { Notice } from '../../../components/notice.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import { PasswordField } from '../../../components/password-field.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { I18n } from '../../../i18n/i18n.ts';
import { useNavigate } from '../../../routing/react/router-context.tsx';
import { useSavedFlag } from './use-saved-flag.ts';

/** Editing the user's own data and password [R5.1, R5.2]. */
export function ProfileEditScreen() {
  const user = useUser();
  return user && <ProfileForm user={user} />;
}

function ProfileForm({ user }: { user: User }) {
  const i18n = useI18n();
  const { form, save, isSaved, submit } = useProfileForm(user);
  const isAboutFields = Object.keys(errorsOf(save.error, i18n)).length > 0;
  return (
    <Form onSubmit={submit} failure={save.error && !isAboutFields ? textOf(save.error, i18n) : null}>
      {user.mustChangePassword && <Notice>{i18n.t('profile.mustChange')}</Notice>}
      {user.isManaged && <Notice>{i18n.t('profile.managed')}</Notice>}
      {!user.mustChangePassword && <PersonFields form={form} isManaged={user.isManaged} />}
      {!user.isManaged && <PasswordFields form={form} />}
      <FormActions>
        <Button
          type="submit"
          size="sm"
          data-saved={isSaved}
          leftSection={isSaved && <IconCheck size={16} aria-hidden="true" />}
          loading={save.isPending}
          disabled={!form.isDirty()}
        >
          {i18n.t('action.save')}
        </Button>
      </FormActions>
      <UnsavedGuard isDirty={form.isDirty() && !save.isPending} />
    </Form>
  );
}

interface ProfileValues {
  fullName: string;
  email: string;
  oldPassword: string;
  password: string;
  keepTokens: boolean;
}

type ProfileFormReturn = UseFormReturnType<ProfileValues>;

/** The form as it is after loading and after saving: the saved person, and no passwords. */
function valuesOf({ fullName, email }: Pick<User, 'fullName' | 'email'>): ProfileValues {
  return { fullName, email, oldPassword: '', password: '', keepTokens: false };
}

/** The form's values and saving them: only what changed is sent, and the password only with the old one. */
function useProfileForm(user: User) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const save = useSaveProfile();
  const [isSaved, raiseSaved] = useSavedFlag();
  const form = useForm<ProfileValues>({
    initialValues: valuesOf(user),
    validate: {
      oldPassword: (value, { password }) =>
        password !== '' && value === '' ? i18n.t('profile.oldPassword.missing') : null,
      password: (value, { oldPassword }) =>
        oldPassword !== '' && value === '' ? i18n.t('account.password.missing') : null,
    },
  });
  const onError = (error: Error) => {
    form.setErrors(errorsOf(error, i18n));
    focusFirstError();
  };
  const onSuccess = (saved: User) => {
    form.setValues(valuesOf(saved));
    form.resetDirty(valuesOf(saved));
    raiseSaved();
    notifySuccess(i18n.t('profile.updated'));
    if (user.mustChangePassword) void navigate({ to: '/streams' });
  };
  const submit = form.onSubmit(
    ({ fullName, email, oldPassword, password, keepTokens }) =>
      save.mutate(
        {
          ...(user.isManaged || !form.isDirty('fullName') ? {} : { fullName: fullName.trim() }),
          ...(user.isManaged || !form.isDirty('email') ? {} : { email: email.trim() }),
          ...(password === '' ? {} : { oldPassword, password, keepTokens }),
        },
        { onError, onSuccess },
      ),
    focusFirstError,
  );
  return { form, save, isSaved, submit };
}

function PersonFields({ form, isManaged }: { form: ProfileFormReturn; isManaged: boolean }) {
  const i18n = useI18n();
  return (
    <FormSection title={i18n.t('profile.person')}>
      <NameAndEmail form={form} isManaged={isManaged} isOwn />
    </FormSection>
  );
}

function PasswordFields({ form }: { form: ProfileFormReturn }) {
  const i18n = useI18n();
  return (
    <FormSection title={i18n.t('profile.passwordChange')} text={i18n.t('profile.passwordChange.help')}>
      <PasswordField
        size="sm"
        label={i18n.t('account.oldPassword')}
        autoComplete="current-password"
        {...form.getInputProps('oldPassword')}
      />
      <PasswordField
        size="sm"
        label={i18n.t('account.newPassword')}
        description={i18n.t('account.password.rules')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <Checkbox
        label={i18n.t('account.keepTokens')}
        {...form.getInputProps('keepTokens', { type: 'checkbox' })}
      />
    </FormSection>
  );
}

/** The field that each error code of a refused change belongs to. */
function errorsOf(error: unknown, i18n: I18n): Record<string, string> {
  return fieldErrorsOf(
    error,
    i18n,
    {
      InvalidOldPassword: 'oldPassword',
      PasswordIsNotComplexEnough: 'password',
      OldPasswordAndNewPasswordCannotBeSame: 'password',
      AlreadyUsed: 'email',
    },
    { email: 'account.email.invalid' },
  );
}
