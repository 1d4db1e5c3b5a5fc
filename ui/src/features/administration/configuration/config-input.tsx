import { NativeSelect, Switch, TextInput } from '@mantine/core';
import { PasswordField } from '../../../components/password-field.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { aboutKey, isSecretKey, maskedSecret, type ConfigField } from './config-fields.ts';
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

/** One configuration key: its name as in the file, and below it its description and constraints. */
export function ConfigInput(props: ConfigInputProps) {
  const i18n = useI18n();
  const { field, text, isSecret, isFixed, needsRestart, error, onChange } = props;
  const { key, kind, isNullable, choices, minimum, maximum, defaultText } = field;
  const notes = [
    isFixed && i18n.t('config.fixed'),
    isSecret && i18n.t('config.secret'),
    minimum !== undefined &&
      maximum !== undefined &&
      i18n.t('config.bounds', { minimum: String(minimum), maximum: String(maximum) }),
    kind === 'list' && i18n.t('config.list'),
    defaultText !== '' && i18n.t('config.default', { value: defaultText }),
    needsRestart && i18n.t('config.restart'),
  ].filter((note) => note !== false);
  const shared = {
    label: key,
    description: (
      <>
        {i18n.t(aboutKey(key))} <span className={classes.notes}>{notes.join(' · ')}</span>
      </>
    ),
    error,
    disabled: isFixed,
  };
  const order: ('label' | 'input' | 'error' | 'description')[] = ['label', 'input', 'error', 'description'];
  if (kind === 'switch') {
    return (
      <Switch
        {...shared}
        checked={text === 'true'}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    );
  }
  if (kind === 'choice') {
    return (
      <NativeSelect
        {...shared}
        size="sm"
        inputWrapperOrder={order}
        value={text}
        data={isNullable ? [{ value: '', label: i18n.t('config.none') }, ...choices] : choices}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  if (isSecret || isSecretKey(key)) {
    return (
      <PasswordField
        {...shared}
        size="sm"
        inputWrapperOrder={order}
        autoComplete="new-password"
        value={text}
        // The placeholder of a secret is replaced as a whole, never edited.
        onFocus={(event) => {
          if (text === maskedSecret) event.currentTarget.select();
        }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      size="sm"
      inputWrapperOrder={order}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
