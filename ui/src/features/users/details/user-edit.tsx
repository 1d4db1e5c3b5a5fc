import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { User } from '@vidette/contract/entities';
import { fieldErrorsOf, focusFirstError } from '../../../api/field-errors.ts';
import { userQuery, useSaveUser } from '../users-api.ts';
import { useUser } from '../../../api/session.ts';
import { textOf } from '../../../page/failures.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { Form, FormActions, FormSection } from '../../../components/form.tsx';
import { Notice } from '../../../components/notice.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { UserFields } from '../form/user-fields.tsx';
import {
  changesOf,
  userCodeFields,
  userFieldText,
  userProblems,
  userValues,
  type UserValues,
} from '../form/user-values.ts';
import { useNavigate, useParams } from '../../../routing/react/router-context.tsx';
import { DeleteUser } from './delete-user.tsx';
import classes from './user.module.css';

/** Editing a user. */
export function UserEditScreen() {
  const { login } = useParams({ from: '/user/$login' });
  const { data: user } = useQuery(userQuery(login));
  return user && <UserForm key={user.name} user={user} />;
}

function UserForm({ user }: { user: User }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const self = useUser();
  const save = useSaveUser(user.name);
  const before = userValues(user);
  const form = useForm<UserValues>({ initialValues: before, validate: userProblems(i18n, false) });
  const submit = form.onSubmit(
    (values) =>
      save.mutate(changesOf(values, before), {
        onError: (error) => {
          form.setErrors(fieldErrorsOf(error, i18n, userCodeFields, userFieldText));
          focusFirstError();
        },
        onSuccess: (saved) => {
          form.setValues(userValues(saved));
          form.resetDirty(userValues(saved));
          notifySuccess(i18n.t('user.saved'));
          if (saved.name === user.name) return;
          const params = { login: saved.name };
          void navigate({ to: '/user/$login/edit', params, replace: true, ignoreBlocker: true });
        },
      }),
    focusFirstError,
  );
  const isAboutFields = Object.keys(form.errors).length > 0;
  const isSelf = self?.name === user.name;
  return (
    <>
      <Form onSubmit={submit} failure={save.error && !isAboutFields ? textOf(save.error, i18n) : null}>
        {user.isManaged && <Notice>{i18n.t('profile.managed')}</Notice>}
        <UserFields form={form} isManaged={user.isManaged} isSelf={isSelf} />
        <FormActions>
          <Button type="submit" size="sm" loading={save.isPending} disabled={!form.isDirty()}>
            {i18n.t('action.save')}
          </Button>
        </FormActions>
        <UnsavedGuard isDirty={form.isDirty() && !save.isPending} />
      </Form>
      {!isSelf && (
        <div className={classes.danger}>
          <FormSection title={i18n.t('action.delete')} text={i18n.t('user.delete.text')}>
            <DeleteUser login={user.name} />
          </FormSection>
        </div>
      )}
    </>
  );
}
