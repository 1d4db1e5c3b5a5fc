import { NativeSelect, Switch, TextInput } from '@mantine/core';
import { Fragment, type ChangeEvent } from 'react';
import { PasswordField } from '../../../components/password-field.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { I18n } from '../../../i18n/i18n.ts';
import { aboutKey, isSecretKey, maskedSecret, nameOf, type ConfigField } from './config-fields.ts';
import classes from './configuration.module.css';

interface ConfigInputProps {
  readonly field: ConfigField;
  readonly text: string;
  /** The key has a stored secret. */
  readonly isSecret: boolean;
  /** An environment variable sets it, so the file can't. */
  readonly isFixed: boolean;
  readonly needsRestart: boolean;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

const wrapperOrder = ['label', 'input', 'error', 'description'] as const;

/** One configuration key: its name for people, beside it the one in the file, and below it its description and constraints. */
export function ConfigInput(props: ConfigInputProps) {
  const i18n = useI18n();
  const { field, text, isSecret, isFixed, error, onChange } = props;
  const { key, kind, isNullable, choices } = field;
  const description = (
    <>
      {i18n.t(aboutKey(key))} <Notes notes={notesOf(props, i18n)} />
    </>
  );
  const shared = { label: <KeyLabel name={key} />, description, error, disabled: isFixed };
  if (kind === 'switch') {
    return (
      <Switch
        {...shared}
        checked={text === 'true'}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    );
  }
  const line = {
    ...shared,
    size: 'sm',
    inputWrapperOrder: [...wrapperOrder],
    value: text,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      onChange(event.currentTarget.value),
  };
  if (kind === 'choice') {
    return (
      <NativeSelect
        {...line}
        data={isNullable ? [{ value: '', label: i18n.t('config.none') }, ...choices] : choices}
      />
    );
  }
  if (isSecret || isSecretKey(key)) {
    return (
      <PasswordField
        {...line}
        autoComplete="new-password"
        // The placeholder of a secret is replaced as a whole, never edited.
        onFocus={(event) => {
          if (text === maskedSecret) event.currentTarget.select();
        }}
      />
    );
  }
  return (
    <TextInput
      {...line}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

/** A key's name for people, and beside it the one in the file. */
function KeyLabel({ name }: { name: string }) {
  const i18n = useI18n();
  return (
    <>
      {nameOf(name, i18n)} <code className={classes.key}>{name}</code>
    </>
  );
}

/** Lines break between two notes rather than in one. */
function Notes({ notes }: { readonly notes: readonly string[] }) {
  return (
    <span className={classes.notes}>
      {notes.map((note, index) => (
        <Fragment key={note}>
          <span className={classes.note}>
            {note}
            {index < notes.length - 1 && '\u00a0·'}
          </span>{' '}
        </Fragment>
      ))}
    </span>
  );
}

/** Constraints and states of a key, to show after its description. */
function notesOf({ field, isFixed, isSecret, needsRestart }: ConfigInputProps, i18n: I18n): string[] {
  const { kind, minimum, maximum, defaultText } = field;
  return [
    isFixed && i18n.t('config.fixed'),
    isSecret && i18n.t('config.secret'),
    minimum !== undefined &&
      maximum !== undefined &&
      i18n.t('config.bounds', { minimum: String(minimum), maximum: String(maximum) }),
    kind === 'list' && i18n.t('config.list'),
    defaultText !== '' && i18n.t('config.default', { value: defaultText }),
    needsRestart && i18n.t('config.restart'),
  ].filter((note) => note !== false);
}
