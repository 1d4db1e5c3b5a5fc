import { NativeSelect, SegmentedControl, Switch } from '@mantine/core';
import { languages, playbackSpeeds, themes } from '@vidette/contract/constants';
import type { Preferences } from '@vidette/contract/entities';
import type { MessageLanguage } from '@vidette/contract/errors';
import { useSaveProfile } from '../account-api.ts';
import { useUser } from '../../../api/session.ts';
import { textOf } from '../../../page/failures.ts';
import { notifyError, notifySuccess } from '../../../page/notify.ts';
import { usePage } from '../../../page/page-context.tsx';
import { FormSection } from '../../../components/form.tsx';
import { PageBar } from '../../../components/page-bar.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../../i18n/i18n.ts';
import { SettingRow } from './setting-row.tsx';
import classes from './settings.module.css';
import { ZoneSelect } from './zone-select.tsx';

const themeNames: Record<Preferences['theme'], MessageKey> = {
  auto: 'settings.theme.system',
  light: 'settings.theme.light',
  dark: 'settings.theme.dark',
};
const languageNames: Record<MessageLanguage, MessageKey> = { en: 'language.en', ru: 'language.ru' };

/**
 * Appearance, language and playback settings of the signed-in user; stored on the server, they apply on every
 * device [R2.19].
 */
export function SettingsScreen() {
  const i18n = useI18n();
  const user = useUser();
  const { prefer, chooseLanguage } = useSaveSettings();
  if (!user) return null;
  const { preferences } = user;
  return (
    <div className={classes.screen}>
      <PageBar title={i18n.t('title.settings')} />
      <p className={classes.text}>{i18n.t('settings.text')}</p>
      <FormSection title={i18n.t('settings.appearance')}>
        <SettingRow label={i18n.t('settings.theme')}>
          <SegmentedControl
            size="sm"
            aria-label={i18n.t('settings.theme')}
            value={preferences.theme}
            data={themes.map((value) => ({ value, label: i18n.t(themeNames[value]) }))}
            onChange={(theme) => prefer({ theme })}
          />
        </SettingRow>
        <SettingRow label={i18n.t('settings.language')}>
          <SegmentedControl
            size="sm"
            aria-label={i18n.t('settings.language')}
            value={user.language}
            data={languages.map((value) => ({ value, label: i18n.t(languageNames[value]) }))}
            onChange={chooseLanguage}
          />
        </SettingRow>
      </FormSection>
      <FormSection title={i18n.t('settings.time')}>
        <SettingRow label={i18n.t('settings.zone')} help={i18n.t('settings.zone.help')}>
          <ZoneSelect value={preferences.timeZone} onChange={(timeZone) => prefer({ timeZone })} />
        </SettingRow>
      </FormSection>
      <PlayerSettings preferences={preferences} onPrefer={prefer} />
    </div>
  );
}

/** Saves a setting as soon as it is chosen, and reports the result. */
function useSaveSettings() {
  const i18n = useI18n();
  const { language } = usePage();
  const save = useSaveProfile();
  const send = (body: Parameters<typeof save.mutate>[0], done: () => Promise<void> = async () => {}) =>
    save.mutate(body, {
      onSuccess: () => void done().then(() => notifySuccess(language.get().t('settings.saved'))),
      onError: (error) => notifyError(i18n.t('settings.failed'), textOf(error, i18n)),
    });
  return {
    prefer: (preferences: Partial<Preferences>) => send({ preferences }),
    chooseLanguage: (chosen: MessageLanguage) => send({ language: chosen }, () => language.change(chosen)),
  };
}

interface PlayerSettingsProps {
  readonly preferences: Preferences;
  readonly onPrefer: (preferences: Partial<Preferences>) => void;
}

function PlayerSettings({ preferences, onPrefer }: PlayerSettingsProps) {
  const i18n = useI18n();
  return (
    <FormSection title={i18n.t('settings.player')}>
      <SettingRow label={i18n.t('settings.sound')} help={i18n.t('settings.sound.help')}>
        <Switch
          size="md"
          aria-label={i18n.t('settings.sound')}
          checked={preferences.playerSound}
          onChange={(event) => onPrefer({ playerSound: event.currentTarget.checked })}
        />
      </SettingRow>
      <SettingRow label={i18n.t('settings.speed')} help={i18n.t('settings.speed.help')}>
        <NativeSelect
          size="sm"
          aria-label={i18n.t('settings.speed')}
          value={String(preferences.archiveSpeed)}
          data={playbackSpeeds.map((speed) => ({
            value: String(speed),
            label: i18n.t('settings.speed.value', { speed }),
          }))}
          onChange={(event) => {
            const chosen = playbackSpeeds.find((speed) => String(speed) === event.currentTarget.value);
            if (chosen !== undefined) onPrefer({ archiveSpeed: chosen });
          }}
        />
      </SettingRow>
    </FormSection>
  );
}
