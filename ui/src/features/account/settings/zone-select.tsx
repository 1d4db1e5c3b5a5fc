import { NativeSelect } from '@mantine/core';
import { clockOwners } from '@vidette/contract/constants';
import { useSettings } from '../../../api/session.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { ownTimeZone } from '../../../i18n/i18n.ts';
import classes from './settings.module.css';

interface ZoneSelectProps {
  /** `viewer`, `server`, `stream`, or an IANA name. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Selects the zone in which times are shown: the browser's, the server's, each stream's, or any other. */
export function ZoneSelect({ value, onChange }: ZoneSelectProps) {
  const i18n = useI18n();
  const { timeZone: serverZone } = useSettings();
  const zones = Intl.supportedValuesOf('timeZone');
  const isListed = clockOwners.some((owner) => owner === value) || zones.includes(value);
  return (
    <NativeSelect
      size="sm"
      className={classes.zone}
      aria-label={i18n.t('settings.zone')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="viewer">{i18n.t('settings.zone.viewer', { zone: ownTimeZone() })}</option>
      {serverZone !== null && (
        <option value="server">{i18n.t('settings.zone.server', { zone: serverZone })}</option>
      )}
      <option value="stream">{i18n.t('settings.zone.stream')}</option>
      <optgroup label={i18n.t('settings.zone.all')}>
        {(isListed ? zones : [value, ...zones]).map((zone) => (
          <option key={zone} value={zone}>
            {zone}
          </option>
        ))}
      </optgroup>
    </NativeSelect>
  );
}
