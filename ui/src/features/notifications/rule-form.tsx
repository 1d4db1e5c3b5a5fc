import { Button } from '@mantine/core';
import { limits } from '@vidette/contract/constants';
import type { NotificationTarget, Rule } from '@vidette/contract/notifications';
import { useState } from 'react';
import { focusFirstError } from '../../api/field-errors.ts';
import { Form, FormActions } from '../../components/form.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { codeOf, textOf } from '../../page/failures.ts';
import { notifySuccess } from '../../page/notify.ts';
import { Link } from '../../routing/react/link.tsx';
import { useNavigate } from '../../routing/react/router-context.tsx';
import { usePreviewRule, useSaveRule } from './notifications-api.ts';
import { RuleFields } from './rule-fields.tsx';
import { RulePreviewPanel } from './rule-preview.tsx';
import { newRule, ruleBody, ruleErrors, ruleProblems, ruleValues, type RuleValues } from './rule-values.ts';
import classes from './notifications.module.css';

interface RuleFormProps {
  readonly rule: Rule | undefined;
  readonly targets: readonly NotificationTarget[];
  readonly rules: readonly Rule[];
}

/** Adds or changes a rule, and shows what it would have done before it is saved [R11.6]. */
export function RuleForm({ rule, rules, targets }: RuleFormProps) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const save = useSaveRule(rule?.id ?? null);
  const preview = usePreviewRule();
  const [before] = useState(() => (rule ? ruleValues(rule, i18n.timeZone) : newRule(i18n.timeZone)));
  const [values, setValues] = useState<RuleValues>(before);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const error = save.error ?? preview.error;
  const rejected = ruleErrors(error, i18n);
  const check = (ignored: readonly string[]): boolean => {
    const found = Object.entries(ruleProblems(values, i18n)).filter(([field]) => !ignored.includes(field));
    setProblems(Object.fromEntries(found));
    if (found.length > 0) focusFirstError();
    return found.length === 0;
  };
  const submit = () => {
    preview.reset();
    if (!check([])) return;
    save.mutate(ruleBody(values), {
      onError: focusFirstError,
      onSuccess: () => {
        notifySuccess(i18n.t('rule.saved'));
        void navigate({ to: '/notifications', ignoreBlocker: true });
      },
    });
  };
  const showPreview = () => {
    save.reset();
    if (!check(['name', 'targets'])) return;
    const body = ruleBody(values);
    preview.mutate({ ...body, name: body.name || i18n.t('rule.new') }, { onError: focusFirstError });
  };
  const isDirty = JSON.stringify(values) !== JSON.stringify(before);
  return (
    <div className={classes.form}>
      <Form
        onSubmit={submit}
        failure={error && Object.keys(rejected).length === 0 ? failureText(error, i18n) : null}
      >
        <RuleFields
          isNew={rule === undefined}
          values={values}
          errors={{ ...rejected, ...problems }}
          targets={targets}
          others={rules.filter(({ id }) => id !== rule?.id)}
          onChange={(changes) => setValues({ ...values, ...changes })}
        />
        <Actions isSaving={save.isPending} isTrying={preview.isPending} onPreview={showPreview} />
        {preview.data && <RulePreviewPanel preview={preview.data} />}
        <UnsavedGuard isDirty={isDirty && !save.isPending} />
      </Form>
    </div>
  );
}

function failureText(error: Error, i18n: I18n): string {
  if (codeOf(error) !== 'QuotaReached') return textOf(error, i18n);
  return i18n.t('rules.full', { count: limits.rulesMax });
}

interface ActionsProps {
  readonly isSaving: boolean;
  /** The preview is on its way. */
  readonly isTrying: boolean;
  readonly onPreview: () => void;
}

function Actions({ isSaving, isTrying, onPreview }: ActionsProps) {
  const i18n = useI18n();
  return (
    <FormActions>
      <Button type="submit" size="sm" loading={isSaving}>
        {i18n.t('action.save')}
      </Button>
      <Button size="sm" variant="default" loading={isTrying} onClick={onPreview}>
        {i18n.t('rule.preview')}
      </Button>
      <Button size="sm" variant="subtle" renderRoot={(props) => <Link to="/notifications" {...props} />}>
        {i18n.t('action.cancel')}
      </Button>
    </FormActions>
  );
}
