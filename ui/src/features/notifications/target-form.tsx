import { Button, NativeSelect, Switch, Textarea, TextInput } from '@mantine/core';
import { limits, targetTypes } from '@vidette/contract/constants';
import { mqttTopicMaxLength } from '@vidette/contract/mqtt';
import type { NotificationTarget } from '@vidette/contract/notifications';
import { useState } from 'react';
import { fieldErrorsOf, focusFirstError } from '../../api/field-errors.ts';
import { useUser } from '../../api/session.ts';
import { CopyLine } from '../../components/copy-line.tsx';
import { Form, FormActions, FormSection } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { codeOf, textOf } from '../../page/failures.ts';
import { notifySuccess } from '../../page/notify.ts';
import { Link } from '../../routing/react/link.tsx';
import { useNavigate } from '../../routing/react/router-context.tsx';
import { fetchPushKey, useSaveTarget } from './notifications-api.ts';
import { PushError, subscribe, type PushDevice } from './push-device.ts';
import { obstacleText, PushFields } from './push-fields.tsx';
import { targetTypeText } from './target-item.tsx';
import {
  targetBody,
  targetProblems,
  targetsFullText,
  targetValues,
  type TargetFieldsProps,
  type TargetValues,
} from './target-values.ts';
import classes from './notifications.module.css';

/** Adds or changes a target; a new signing key is shown once, after it was saved. */
export function TargetForm({ target }: { target: NotificationTarget | undefined }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const user = useUser();
  const save = useSaveTarget(target?.id ?? null);
  const [before] = useState(() =>
    targetValues(target, { ownEmail: user?.email ?? '', timeZone: i18n.timeZone }),
  );
  const [values, setValues] = useState(before);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [secret, setSecret] = useState<string | null>(null);
  const [isSubscribing, setSubscribing] = useState(false);
  const set = (changes: Partial<TargetValues>) => setValues({ ...values, ...changes });
  const rejected = fieldErrorsOf(save.error, i18n, {});
  const errors = { ...withListErrors(rejected), ...problems };
  const submit = async () => {
    const found = targetProblems(values, i18n);
    setProblems(found);
    if (Object.keys(found).length > 0) {
      focusFirstError();
      return;
    }
    let device: PushDevice | undefined;
    setSubscribing(true);
    try {
      device = await deviceOf(target, values);
    } catch (error) {
      if (!(error instanceof PushError)) throw error;
      setProblems({ push: obstacleText(error.obstacle, i18n) });
      return;
    } finally {
      setSubscribing(false);
    }
    save.mutate(
      { ...targetBody(values, device), renewSecret: values.renewSecret },
      {
        onError: focusFirstError,
        onSuccess: (saved) => {
          notifySuccess(i18n.t('target.saved'));
          if (saved.secret === null) void navigate({ to: '/notifications', ignoreBlocker: true });
          else setSecret(saved.secret);
        },
      },
    );
  };
  if (secret !== null) return <NewSecret secret={secret} />;
  const failure = save.error && Object.keys(rejected).length === 0 ? failureText(save.error, i18n) : null;
  const isDirty = JSON.stringify(values) !== JSON.stringify(before);
  return (
    <div className={classes.form}>
      <Form onSubmit={() => void submit()} failure={failure}>
        <FormSection title={i18n.t(target ? 'target.edit' : 'target.new')}>
          <TargetFields values={values} errors={errors} isNew={target === undefined} onChange={set} />
        </FormSection>
        <Actions isSaving={isSubscribing || save.isPending} />
        <UnsavedGuard isDirty={isDirty && !save.isPending} />
      </Form>
    </div>
  );
}

function failureText(error: Error, i18n: I18n): string {
  return codeOf(error) === 'QuotaReached' ? targetsFullText(i18n) : textOf(error, i18n);
}

function Actions({ isSaving }: { isSaving: boolean }) {
  const i18n = useI18n();
  return (
    <FormActions>
      <Button type="submit" size="sm" loading={isSaving}>
        {i18n.t('action.save')}
      </Button>
      <Button size="sm" variant="default" renderRoot={(props) => <Link to="/notifications" {...props} />}>
        {i18n.t('action.cancel')}
      </Button>
    </FormActions>
  );
}

/** The browser of a target: the one that it is about, or, for a new one, this one. @throws PushError */
async function deviceOf(
  target: NotificationTarget | undefined,
  { type }: TargetValues,
): Promise<PushDevice | undefined> {
  if (type !== 'push') return undefined;
  if (target?.settings.type !== 'push') return subscribe(window, fetchPushKey);
  const { endpoint, keys } = target.settings;
  return { endpoint, keys };
}

const order: ('label' | 'input' | 'error' | 'description')[] = ['label', 'input', 'error', 'description'];

/** An error at one of the recipients is an error of their field. */
function withListErrors(errors: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([path, text]) => [path.replace(/^(settings\.to)\..*$/, '$1'), text]),
  );
}

function TargetFields({ values, errors, isNew, onChange }: TargetFieldsProps) {
  const i18n = useI18n();
  return (
    <>
      <NativeSelect
        size="sm"
        label={i18n.t('target.type')}
        disabled={!isNew}
        value={values.type}
        data={targetTypes.map((value) => ({ value, label: i18n.t(targetTypeText[value]) }))}
        onChange={({ currentTarget }) => {
          const type = targetTypes.find((one) => one === currentTarget.value);
          if (type) onChange({ type });
        }}
      />
      <TextInput
        size="sm"
        label={i18n.t('rule.name')}
        maxLength={limits.nameMaxLength}
        autoComplete="off"
        value={values.name}
        error={errors['name']}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      {values.type === 'push' && (
        <PushFields values={values} errors={errors} isNew={isNew} onChange={onChange} />
      )}
      {values.type === 'webhook' && (
        <WebhookFields values={values} errors={errors} isNew={isNew} onChange={onChange} />
      )}
      {values.type === 'mqtt' && (
        <TopicField values={values} errors={errors} isNew={isNew} onChange={onChange} />
      )}
      {values.type === 'email' && (
        <Textarea
          size="sm"
          label={i18n.t('target.to')}
          description={i18n.t('target.to.help')}
          inputWrapperOrder={order}
          autosize
          minRows={2}
          spellCheck={false}
          value={values.to}
          error={errors['settings.to']}
          onChange={(event) => onChange({ to: event.currentTarget.value })}
        />
      )}
    </>
  );
}

function TopicField({ values, errors, onChange }: TargetFieldsProps) {
  const i18n = useI18n();
  return (
    <TextInput
      size="sm"
      label={i18n.t('target.topic')}
      description={i18n.t('target.topic.help')}
      inputWrapperOrder={order}
      maxLength={mqttTopicMaxLength}
      autoComplete="off"
      spellCheck={false}
      value={values.topic}
      error={errors['settings.topic']}
      onChange={(event) => onChange({ topic: event.currentTarget.value })}
    />
  );
}

function WebhookFields({ values, errors, isNew, onChange }: TargetFieldsProps) {
  const i18n = useI18n();
  return (
    <>
      <TextInput
        size="sm"
        label={i18n.t('target.url')}
        description={i18n.t('target.url.help')}
        inputWrapperOrder={order}
        inputMode="url"
        maxLength={limits.sourceMaxLength}
        autoComplete="off"
        spellCheck={false}
        value={values.url}
        error={errors['settings.url']}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      {!isNew && (
        <Switch
          label={i18n.t('target.renew')}
          checked={values.renewSecret}
          onChange={(event) => onChange({ renewSecret: event.currentTarget.checked })}
        />
      )}
    </>
  );
}

function NewSecret({ secret }: { secret: string }) {
  const i18n = useI18n();
  return (
    <div className={classes.form} aria-live="polite">
      <Notice>{i18n.t('target.secret')}</Notice>
      <CopyLine label={i18n.t('target.secret.label')} text={secret} />
      <FormActions>
        <Button size="sm" renderRoot={(props) => <Link to="/notifications" {...props} />}>
          {i18n.t('target.done')}
        </Button>
      </FormActions>
    </div>
  );
}
