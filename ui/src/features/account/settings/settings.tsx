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
  const { language } = usePage();
  const user = useUser();
  const save = useSaveProfile();
  if (!user) return null;
  const { theme, timeZone, playerSound, archiveSpeed } = user.preferences;

  const send = (body: Parameters<typeof save.mutate>[0], done: () => Promise<void> = async () => {}) =>
    save.mutate(body, {
      onSuccess: () => void done().then(() => notifySuccess(language.get().t('settings.saved'))),
      onError: (error) => notifyError(i18n.t('settings.failed'), textOf(error, i18n)),
    });
  const prefer = (preferences: Partial<Preferences>) => send({ preferences });

  return (
    <div className={classes.screen}>
      <PageBar title={i18n.t('title.settings')} />
      <p className={classes.text}>{i18n.t('settings.text')}</p>
      <FormSection title={i18n.t('settings.appearance')}>
        <SettingRow label={i18n.t('settings.theme')}>
          <SegmentedControl
            size="sm"
            aria-label={i18n.t('settings.theme')}
            value={theme}
            data={themes.map((value) => ({ value, label: i18n.t(themeNames[value]) }))}
            onChange={(value) => prefer({ theme: value })}
          />
        </SettingRow>
        <SettingRow label={i18n.t('settings.language')}>
          <SegmentedControl
            size="sm"
            aria-label={i18n.t('settings.language')}
            value={user.language}
            data={languages.map((value) => ({ value, label: i18n.t(languageNames[value]) }))}
            onChange={(value) => send({ language: value }, () => language.change(value))}
          />
        </SettingRow>
      </FormSection>
      <FormSection title={i18n.t('settings.time')}>
        <SettingRow label={i18n.t('settings.zone')} help={i18n.t('settings.zone.help')}>
          <ZoneSelect value={timeZone} onChange={(value) => prefer({ timeZone: value })} />
        </SettingRow>
      </FormSection>
      <FormSection title={i18n.t('settings.player')}>
        <SettingRow label={i18n.t('settings.sound')} help={i18n.t('settings.sound.help')}>
          <Switch
            size="md"
            aria-label={i18n.t('settings.sound')}
            checked={playerSound}
            onChange={(event) => prefer({ playerSound: event.currentTarget.checked })}
          />
        </SettingRow>
        <SettingRow label={i18n.t('settings.speed')} help={i18n.t('settings.speed.help')}>
          <NativeSelect
            size="sm"
            aria-label={i18n.t('settings.speed')}
            value={String(archiveSpeed)}
            data={playbackSpeeds.map((speed) => ({
              value: String(speed),
              label: i18n.t('settings.speed.value', { speed }),
            }))}
            onChange={(event) => {
              const chosen = playbackSpeeds.find((speed) => String(speed) === event.currentTarget.value);
              if (chosen !== undefined) prefer({ archiveSpeed: chosen });
            }}
          />
        </SettingRow>
      </FormSection>
    </div>
  );
}
