import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldErrorsOf, focusFirstError } from '../../../api/field-errors.ts';
import { useAddUser } from '../users-api.ts';
import { textOf } from '../../../page/failures.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { Form, FormActions } from '../../../components/form.tsx';
import { PageBar } from '../../../components/page-bar.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { UserFields } from './user-fields.tsx';
import {
  addBody,
  emptyUser,
  userCodeFields,
  userFieldText,
  userProblems,
  type UserValues,
} from './user-values.ts';
import { Link } from '../../../routing/react/link.tsx';
import { useNavigate } from '../../../routing/react/router-context.tsx';
import classes from './add-user.module.css';

/** Adding a user [R2.6]; the stream rights are set on the next screen. */
export function AddUserScreen() {
  const i18n = useI18n();
  const navigate = useNavigate();
  const add = useAddUser();
  const form = useForm<UserValues>({
    initialValues: { ...emptyUser, language: i18n.language },
    validate: userProblems(i18n, true),
  });
  const submit = form.onSubmit(
    (values) =>
      add.mutate(addBody(values), {
        onError: (error) => {
          form.setErrors(fieldErrorsOf(error, i18n, userCodeFields, userFieldText));
          focusFirstError();
        },
        onSuccess: ({ name }) => {
          notifySuccess(i18n.t('user.added', { name }));
          void navigate({ to: '/user/$login/permission', params: { login: name }, ignoreBlocker: true });
        },
      }),
    focusFirstError,
  );
  const isAboutFields = Object.keys(form.errors).length > 0;
  return (
    <div className={classes.screen}>
      <PageBar title={i18n.t('title.userAdd')} />
      <Form onSubmit={submit} failure={add.error && !isAboutFields ? textOf(add.error, i18n) : null}>
        <UserFields form={form} isNew />
        <FormActions>
          <Button type="submit" size="sm" loading={add.isPending}>
            {i18n.t('user.add')}
          </Button>
          <Button component={Link} to="/administration/users" size="sm" variant="default">
            {i18n.t('action.cancel')}
          </Button>
        </FormActions>
        <UnsavedGuard isDirty={form.isDirty() && !add.isPending} />
      </Form>
    </div>
  );
}
