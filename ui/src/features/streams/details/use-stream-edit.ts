import { useForm } from '@mantine/form';
import type { Stream } from '@vidette/contract/entities';
import { useState } from 'react';
import { useAskLoss } from './archive-loss-api.ts';
import { fieldErrorsOf, focusFirstError } from '../../../api/field-errors.ts';
import { useSaveStream } from '../streams-api.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { isLowerDepth } from '../form/depths.ts';
import {
  bodyOf,
  codeFields,
  fieldText,
  sourceProblem,
  valuesOf,
  type StreamValues,
} from '../form/stream-values.ts';
import { useSourceCheck } from '../form/use-source-check.ts';

/** The form of a stream and how it is saved: a lower depth that deletes footage requires confirmation first. */
export function useStreamEdit(stream: Stream) {
  const { form, check, save, send } = useStreamForm(stream);
  const ask = useAskLoss(stream.uid);
  // Whether the user is being asked to confirm what the depth deletes.
  const [isAsking, setAsking] = useState(false);
  const confirmed = (values: StreamValues) => send(values, () => setAsking(false));
  const submit = form.onSubmit((values) => {
    const depthHours = Number(values.archive.depthHours);
    if (!isLowerDepth(depthHours, stream.archive.depthHours)) {
      ask.reset();
      confirmed(values);
      return;
    }
    ask.mutate(depthHours, {
      onSuccess: (found) => {
        if (found.beginsAt === null && !found.withoutNodes) confirmed(values);
        else setAsking(true);
      },
    });
  }, focusFirstError);
  return {
    form,
    check,
    submit,
    failure: ask.isError ? ask.error : save.error,
    /** The form is being sent, or the footage that it deletes is being counted. */
    isPending: save.isPending || ask.isPending,
    isSaving: save.isPending,
    /** The content of the dialog that confirms a lower depth. */
    question: {
      isOpen: isAsking,
      loss: ask.data,
      onSave: () => confirmed(form.getValues()),
      onClose: () => setAsking(false),
    },
  };
}

/** The fields, the probe of their source, and the call that saves them. */
function useStreamForm(stream: Stream) {
  const i18n = useI18n();
  const save = useSaveStream(stream.uid);
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
  const send = (values: StreamValues, onSettled: () => void) => {
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
        onSettled,
      },
    );
  };
  return { form, check, save, send };
}
