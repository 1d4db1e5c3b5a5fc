import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Stream } from '@vidette/contract/entities';
import { messageOf } from '@vidette/contract/errors';
import { useRef, useState } from 'react';
import { useAskLoss } from './archive-loss-api.ts';
import { fieldErrorsOf, focusFirstError } from '../../../api/field-errors.ts';
import { useSaveStream, useStream } from '../streams-api.ts';
import { textOf } from '../../../page/failures.ts';
import { ForbiddenScreen } from '../../../components/fallback-screens.tsx';
import { notifySuccess } from '../../../page/notify.ts';
import { Form, FormActions, FormSection } from '../../../components/form.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { isLowerDepth } from '../form/depths.ts';
import { SourceProbe } from '../form/source-probe.tsx';
import { StreamFields } from '../form/stream-fields.tsx';
import {
  bodyOf,
  codeFields,
  fieldText,
  sourceProblem,
  valuesOf,
  type StreamValues,
} from '../form/stream-values.ts';
import { useSourceCheck } from '../form/use-source-check.ts';
import { useParams } from '../../../routing/react/router-context.tsx';
import { DeleteStream } from './delete-stream.tsx';
import { DepthQuestion } from './depth-question.tsx';
import { PendingLoss } from './pending-loss.tsx';
import classes from './stream.module.css';

/** Editing and deleting a stream. */
export function StreamSettingScreen() {
  const i18n = useI18n();
  const { uid } = useParams({ from: '/stream/$uid' });
  const { data: stream } = useStream(uid);
  if (!stream) return null;
  if (!stream.canEdit) return <ForbiddenScreen message={messageOf('Forbidden', i18n.language)} />;
  return <StreamSetting stream={stream} />;
}

function StreamSetting({ stream }: { stream: Stream }) {
  const i18n = useI18n();
  const save = useSaveStream(stream.uid);
  const ask = useAskLoss(stream.uid);
  // Whether the user is being asked to confirm what the depth deletes.
  const [isAsking, setAsking] = useState(false);
  const saveButton = useRef<HTMLButtonElement>(null);
  // The form keeps the state of the moment it was opened; the polled status next to it does not change it.
  const [revision, setRevision] = useState(stream.revision);
  const form = useForm<StreamValues>({
    initialValues: valuesOf(stream),
    validate: {
      streamSource: (value) => sourceProblem(value, i18n),
      name: (value) => (value.trim() === '' ? i18n.t('stream.name.missing') : null),
    },
  });
  const showErrors = (error: unknown) => {
    form.setErrors(fieldErrorsOf(error, i18n, codeFields, fieldText));
    focusFirstError();
  };
  const check = useSourceCheck(form.values.streamSource, stream.uid, showErrors);
  const send = (values: StreamValues) => {
    save.mutate(
      { ...bodyOf(values), revision },
      {
        onError: showErrors,
        onSuccess: (saved) => {
          setRevision(saved.revision);
          form.setValues(valuesOf(saved));
          form.resetDirty(valuesOf(saved));
          notifySuccess(i18n.t('stream.saved'));
        },
        onSettled: () => setAsking(false),
      },
    );
  };
  const submit = form.onSubmit((values) => {
    const depthHours = Number(values.archive.depthHours);
    if (!isLowerDepth(depthHours, stream.archive.depthHours)) {
      ask.reset();
      send(values);
      return;
    }
    ask.mutate(depthHours, {
      onSuccess: (found) => {
        if (found.beginsAt === null && !found.withoutNodes) send(values);
        else setAsking(true);
      },
    });
  }, focusFirstError);
  const failure = ask.isError ? ask.error : save.error;
  const isAboutFields = Object.keys(form.errors).length > 0;
  const isDirty = form.isDirty();
  return (
    <>
      <div className={classes.form}>
        <PendingLoss stream={stream} />
        <Form onSubmit={submit} failure={failure && !isAboutFields ? textOf(failure, i18n) : null}>
          <StreamFields
            form={form}
            probe={
              <SourceProbe check={check} isReady={sourceProblem(form.values.streamSource, i18n) === null} />
            }
          />
          <FormActions>
            <Button
              ref={saveButton}
              type="submit"
              size="sm"
              loading={save.isPending || ask.isPending}
              disabled={!isDirty}
            >
              {i18n.t('action.save')}
            </Button>
            {isDirty && (
              <Button size="sm" variant="default" onClick={() => form.reset()}>
                {i18n.t('stream.discard')}
              </Button>
            )}
          </FormActions>
        </Form>
      </div>
      <div className={classes.danger}>
        <FormSection title={i18n.t('stream.danger')} text={i18n.t('stream.danger.text')}>
          <DeleteStream uid={stream.uid} name={stream.name} />
        </FormSection>
      </div>
      <DepthQuestion
        name={stream.name}
        isOpen={isAsking}
        opener={saveButton}
        loss={ask.data}
        isSaving={save.isPending}
        onSave={() => send(form.getValues())}
        onClose={() => setAsking(false)}
      />
      <UnsavedGuard isDirty={isDirty && !save.isPending} />
    </>
  );
}
