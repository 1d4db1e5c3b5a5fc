import type { Stream } from '@vidette/contract/entities';
import { useMemo, type ReactNode } from 'react';
import { useSettings, useUser } from '../../api/session.ts';
import { I18nProvider, useI18n } from '../../i18n/i18n-context.tsx';
import { chosenZone } from '../../page/chosen-zone.ts';

interface StreamClockProps {
  /** Undefined until it is known. */
  readonly stream: Stream | undefined;
  readonly children: ReactNode;
}

/** Shows the times below it in the stream's own zone, for users who chose that. */
export function StreamClock({ stream, children }: StreamClockProps) {
  const i18n = useI18n();
  const { timeZone: serverZone } = useSettings();
  const choice = useUser()?.preferences.timeZone;
  const zone =
    choice === 'stream' ? chosenZone(choice, serverZone, stream?.location.timeZone) : i18n.timeZone;
  const moved = useMemo(() => (zone === i18n.timeZone ? i18n : i18n.inZone(zone)), [i18n, zone]);
  return <I18nProvider value={moved}>{children}</I18nProvider>;
}
