import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { ConfigField, ConfigTexts } from './config-fields.ts';
import { isSecretKey, maskedSecret } from './config-fields.ts';
import classes from './configuration.module.css';

interface ConfigChangesProps {
  /** The changed fields; at least one. */
  readonly changed: readonly ConfigField[];
  readonly before: ConfigTexts;
  readonly texts: ConfigTexts;
  /** Keys whose values take effect only after a restart. */
  readonly restart: ReadonlySet<string>;
}

/** The changes to be saved, and which of them need a restart. */
export function ConfigChanges({ changed, before, texts, restart }: ConfigChangesProps) {
  const i18n = useI18n();
  const words = (key: string, text = '') => {
    if (text === '') return i18n.t('config.empty');
    return text === maskedSecret || isSecretKey(key) ? i18n.t('config.hidden') : text;
  };
  return (
    <section className={classes.changes} aria-label={i18n.t('config.changes', { count: changed.length })}>
      <h3>{i18n.t('config.changes', { count: changed.length })}</h3>
      <ul>
        {changed.map(({ key }) => (
          <li key={key}>
            <code>{key}</code>{' '}
            {before[key] === maskedSecret
              ? words(key, texts[key])
              : i18n.t('config.change', { before: words(key, before[key]), after: words(key, texts[key]) })}
            {restart.has(key) && <strong> {i18n.t('config.restart')}</strong>}
          </li>
        ))}
      </ul>
    </section>
  );
}
