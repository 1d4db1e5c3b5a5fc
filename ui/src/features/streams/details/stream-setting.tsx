import { Button } from '@mantine/core';
import type { Stream } from '@vidette/contract/entities';
import { messageOf } from '@vidette/contract/errors';
import { useEffect, useRef } from 'react';
import { useStream } from '../streams-api.ts';
import { textOf } from '../../../page/failures.ts';
import { ForbiddenScreen } from '../../../components/fallback-screens.tsx';
import { Form, FormActions, FormSection } from '../../../components/form.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { SourceProbe } from '../form/source-probe.tsx';
import { StreamFields } from '../form/stream-fields.tsx';
import { sourceProblem } from '../form/stream-values.ts';
import { useParams, useRouteLocation } from '../../../routing/react/router-context.tsx';
import { DeleteStream } from './delete-stream.tsx';
import { DepthQuestion } from './depth-question.tsx';
import { PendingLoss } from './pending-loss.tsx';
import classes from './stream.module.css';
import { useStreamEdit } from './use-stream-edit.ts';

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
  const saveButton = useRef<HTMLButtonElement>(null);
  const { form, check, submit, failure, isPending, isSaving, question } = useStreamEdit(stream);
  useAskedCheck(check.run);
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
            <Button ref={saveButton} type="submit" size="sm" loading={isPending} disabled={!isDirty}>
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
      <DepthQuestion name={stream.name} opener={saveButton} isSaving={isSaving} {...question} />
      <UnsavedGuard isDirty={isDirty && !isSaving} />
    </>
  );
}

/** Checks the address once when the link that led here asks for it. */
function useAskedCheck(run: () => void): void {
  const isAsked = useRouteLocation().search.test === true;
  const hasRun = useRef(false);
  useEffect(() => {
    if (!isAsked || hasRun.current) return;
    hasRun.current = true;
    run();
  }, [isAsked, run]);
}
