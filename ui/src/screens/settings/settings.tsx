import { SegmentedControl, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { languages } from '@vidette/contract/constants';
import type { Language } from '@vidette/contract/errors';
import { useSaveProfile } from '../../api/account.ts';
import { wordsOf } from '../../app/failures.ts';
import { notifyError, notifySuccess } from '../../app/notify.ts';
import { usePage } from '../../app/page-context.tsx';
import { FormSection } from '../../components/form.tsx';
import { PageBar } from '../../components/page-bar.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import classes from './settings.module.css';

const themes: readonly { readonly value: MantineColorScheme; readonly label: MessageKey }[] = [
  { value: 'auto', label: 'settings.theme.system' },
  { value: 'light', label: 'settings.theme.light' },
  { value: 'dark', label: 'settings.theme.dark' },
];

const languageNames: Record<Language, MessageKey> = { en: 'language.en', ru: 'language.ru' };

/** How the page looks and speaks for whoever is signed in [R2.19]. */
export function SettingsScreen() {
  const i18n = useI18n();
  const { language } = usePage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const save = useSaveProfile();
  const changeLanguage = (value: string) => {
    const chosen = languages.find((one) => one === value);
    if (!chosen) return;
    save.mutate(
      { language: chosen },
      {
        onSuccess: () =>
          void language.change(chosen).then(() => notifySuccess(language.get().t('settings.languageChanged'))),
        onError: (error) => notifyError(i18n.t('profile.failed'), wordsOf(error, i18n)),
      },
    );
  };
  return (
    <div className={classes.screen}>
      <PageBar title={i18n.t('title.settings')} />
      <FormSection title={i18n.t('settings.appearance')}>
        <Choice
          label={i18n.t('settings.theme')}
          help={i18n.t('settings.theme.help')}
          value={colorScheme}
          options={themes.map(({ value, label }) => ({ value, label: i18n.t(label) }))}
          onChange={(value) => setColorScheme(themes.find((one) => one.value === value)?.value ?? 'auto')}
        />
        <Choice
          label={i18n.t('settings.language')}
          help={i18n.t('settings.language.help')}
          value={i18n.language}
          options={languages.map((value) => ({ value, label: i18n.t(languageNames[value]) }))}
          onChange={changeLanguage}
        />
      </FormSection>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly help: string;
  readonly value: string;
  readonly options: { value: string; label: string }[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, help, value, options, onChange }: ChoiceProps) {
  return (
    <div className={classes.choice}>
      <div>
        <div>{label}</div>
        <div className={classes.help}>{help}</div>
      </div>
      <SegmentedControl size="sm" aria-label={label} value={value} data={options} onChange={onChange} />
    </div>
  );
}
