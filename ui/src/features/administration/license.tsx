import { Button, FileButton, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState, type RefObject } from 'react';
import { licenseQuery, useSaveLicense } from './administration-api.ts';
import { fieldErrorsOf, focusFirstError } from '../../api/field-errors.ts';
import { textOf } from '../../page/failures.ts';
import { notifySuccess } from '../../page/notify.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { Form, FormActions, FormSection } from '../../components/form.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import classes from './administration.module.css';

/** The active license, and replacing it [R2.15, R8.7]. */
export function LicenseScreen() {
  const i18n = useI18n();
  const { data: license } = useQuery(licenseQuery);
  return (
    <div className={classes.license}>
      {license && (
        <Facts>
          <Fact label={i18n.t('license.state')}>
            {i18n.t(license.isExpired ? 'license.expired' : 'license.valid')}
          </Fact>
          <Fact label={i18n.t('license.owner')}>{license.owner || i18n.t('license.owner.none')}</Fact>
          <Fact label={i18n.t('license.expires')}>
            {license.expiresAt === null ? i18n.t('license.never') : i18n.date(license.expiresAt)}
          </Fact>
          <Fact label={i18n.t('license.streams')}>
            {license.maxStreams < 0 ? i18n.t('profile.info.noLimit') : i18n.number(license.maxStreams)}
          </Fact>
        </Facts>
      )}
      <LicenseForm />
    </div>
  );
}

/** Largest file accepted as a license, bytes; a license is far smaller. */
const fileMaxBytes = 65_536;

/** A license is pasted, chosen as a file, or dropped on its field. */
function LicenseForm() {
  const i18n = useI18n();
  const { field, text, fieldError, save, type, take, submit } = useLicenseDraft();
  return (
    <FormSection title={i18n.t('banner.license.upload')} text={i18n.t('license.ways')}>
      <Form
        onSubmit={submit}
        failure={save.error && fieldError === undefined ? textOf(save.error, i18n) : null}
      >
        <LicenseField ref={field} text={text} error={fieldError} onText={type} onFile={take} />
        <FormActions>
          <Button type="submit" size="sm" loading={save.isPending} disabled={text.trim() === ''}>
            {i18n.t('banner.license.upload')}
          </Button>
          <FileButton onChange={take}>
            {(props) => (
              <Button {...props} size="sm" variant="default">
                {i18n.t('license.choose')}
              </Button>
            )}
          </FileButton>
        </FormActions>
        <UnsavedGuard isDirty={text.trim() !== '' && !save.isPending} />
      </Form>
    </FormSection>
  );
}

/** The text of a license that is not saved yet, typed or taken from a file. */
function useLicenseDraft() {
  const i18n = useI18n();
  const save = useSaveLicense();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [isTooLong, setTooLong] = useState(false);
  const fieldErrors = fieldErrorsOf(save.error, i18n, { IncorrectLicense: 'text', LicenseExpired: 'text' });
  const type = (typed: string) => {
    setText(typed);
    setTooLong(false);
    save.reset();
  };
  const read = async (file: File) => {
    const isReadable = file.size <= fileMaxBytes;
    type(isReadable ? (await file.text()).trim() : '');
    setTooLong(!isReadable);
    field.current?.focus();
  };
  const submit = () =>
    save.mutate(text.trim(), {
      onError: focusFirstError,
      onSuccess: () => {
        setText('');
        notifySuccess(i18n.t('license.saved'));
      },
    });
  const take = (file: File | null) => {
    if (file) void read(file);
  };
  const fieldError = isTooLong ? i18n.t('license.tooLong') : fieldErrors['text'];
  return { field, text, fieldError, save, type, take, submit };
}

interface LicenseFieldProps {
  readonly ref: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly error: string | undefined;
  readonly onText: (text: string) => void;
  readonly onFile: (file: File) => void;
}

function LicenseField({ ref, text, error, onText, onFile }: LicenseFieldProps) {
  const i18n = useI18n();
  const [isDropping, setDropping] = useState(false);
  return (
    <Textarea
      ref={ref}
      size="sm"
      className={classes.licenseText}
      label={i18n.t('license.text')}
      minRows={4}
      maxRows={12}
      autosize
      spellCheck={false}
      maxLength={fileMaxBytes}
      value={text}
      error={error}
      data-dropping={isDropping}
      onChange={(event) => onText(event.currentTarget.value)}
      onKeyDown={(event) => {
        // A license has several lines, so submitting takes Ctrl+Enter instead of Enter.
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.currentTarget.form?.requestSubmit();
        }
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={(event) => {
        setDropping(false);
        const file = event.dataTransfer.files[0];
        // The browser itself inserts dragged text.
        if (!file) return;
        event.preventDefault();
        onFile(file);
      }}
    />
  );
}
