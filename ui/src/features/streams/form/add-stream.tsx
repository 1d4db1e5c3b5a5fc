import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import IconLicenseOff from '@tabler/icons-react/dist/esm/icons/IconLicenseOff.mjs';
import { fieldErrorsOf, focusFirstError } from '../../../api/field-errors.ts';
import { useSettings, useUser } from '../../../api/session.ts';
import { useAddStream } from '../streams-api.ts';
import { textOf } from '../../../page/failures.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { Form, FormActions } from '../../../components/form.tsx';
import { PageBar } from '../../../components/page-bar.tsx';
import { PageState } from '../../../components/page-state.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { SourceProbe } from './source-probe.tsx';
import { StreamFields } from './stream-fields.tsx';
import {
  bodyOf,
  codeFields,
  emptyValues,
  fieldText,
  sourceProblem,
  suggestedName,
  type StreamValues,
} from './stream-values.ts';
import { useSourceCheck } from './use-source-check.ts';
import { Link } from '../../../routing/react/link.tsx';
import { useNavigate, useSearch } from '../../../routing/react/router-context.tsx';
import classes from './add-stream.module.css';

/** Adding a stream [R2.10]: the address, its probe, a name, and whether it is recorded. */
export function AddStreamScreen() {
  const { isLicenseExpired } = useSettings();
  return isLicenseExpired ? <Unlicensed /> : <AddStreamForm />;
}

/** The server would refuse it [R6.9], so no form is shown. */
function Unlicensed() {
  const i18n = useI18n();
  const user = useUser();
  return (
    <PageState
      icon={IconLicenseOff}
      title={i18n.t('title.addStream')}
      text={`${i18n.t('nav.addStream.license')}${user?.isAdmin ? '' : ` ${i18n.t('banner.license.ask')}`}`}
      action={
        user?.isAdmin && (
          <Button component={Link} to="/license" size="sm">
            {i18n.t('banner.license.upload')}
          </Button>
        )
      }
    />
  );
}

function AddStreamForm() {
  const i18n = useI18n();
  const navigate = useNavigate();
  const { source = '' } = useSearch({ from: '/add-stream' });
  const add = useAddStream();
  const form = useForm<StreamValues>({
    initialValues: { ...emptyValues, streamSource: source },
    validate: {
      streamSource: (value) => sourceProblem(value, i18n),
      name: (value, { streamSource }) =>
        value.trim() === '' && suggestedName(streamSource, i18n.t('streams.demo.name')) === ''
          ? i18n.t('stream.name.missing')
          : null,
    },
  });
  const showErrors = (error: unknown) => {
    form.setErrors(fieldErrorsOf(error, i18n, codeFields, fieldText));
    focusFirstError();
  };
  const check = useSourceCheck(form.values.streamSource, undefined, showErrors);
  const suggestion = suggestedName(form.values.streamSource, i18n.t('streams.demo.name'));
  const submit = form.onSubmit(
    (values) =>
      add.mutate(bodyOf({ ...values, name: values.name.trim() || suggestion }), {
        onError: showErrors,
        onSuccess: ({ uid }) => {
          notifySuccess(i18n.t('addStream.added'));
          void navigate({ to: '/stream/$uid/view', params: { uid }, ignoreBlocker: true });
        },
      }),
    focusFirstError,
  );
  const isAboutFields = Object.keys(form.errors).length > 0;
  return (
    <div className={classes.screen}>
      <PageBar title={i18n.t('title.addStream')} />
      <Form onSubmit={submit} failure={add.error && !isAboutFields ? textOf(add.error, i18n) : null}>
        <StreamFields
          form={form}
          suggestedName={suggestion}
          probe={
            <SourceProbe check={check} isReady={sourceProblem(form.values.streamSource, i18n) === null} />
          }
        />
        <FormActions>
          <Button type="submit" size="sm" loading={add.isPending}>
            {i18n.t('addStream.submit')}
          </Button>
          <Button component={Link} to="/streams" size="sm" variant="default">
            {i18n.t('action.cancel')}
          </Button>
        </FormActions>
        <UnsavedGuard isDirty={form.isDirty() && !add.isPending} />
      </Form>
    </div>
  );
}
