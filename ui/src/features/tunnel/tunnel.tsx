import { Button, NativeSelect } from '@mantine/core';
import IconCertificateOff from '@tabler/icons-react/dist/esm/icons/IconCertificateOff.mjs';
import { useQuery } from '@tanstack/react-query';
import type { TunnelStatus } from '@vidette/contract/tunnel';
import { useState } from 'react';
import { useSaveConfiguration } from '../administration/administration-api.ts';
import { tunnelQuery, useStartTunnel, useStopTunnel } from './tunnel-api.ts';
import { codeOf } from '../../page/failures.ts';
import { FormSection } from '../../components/form.tsx';
import { CopyLine } from '../../components/copy-line.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageState } from '../../components/page-state.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { RelayForm } from './relay-form.tsx';
import { locationsWith, valuesOf } from './relay-values.ts';
import { TunnelState } from './tunnel-state.tsx';
import classes from './tunnel.module.css';

/** Remote access to a server behind a NAT [R2.14, R4.6, R6.7]. */
export function TunnelScreen() {
  const query = useQuery(tunnelQuery);
  const code = query.error ? codeOf(query.error) : null;
  if (code === 'LicenseExpired' || code === 'FeatureNotFound') return <Unlicensed code={code} />;
  return (
    <Loaded query={query} skeletonPx={400}>
      {(tunnel) => <TunnelPanel tunnel={tunnel} />}
    </Loaded>
  );
}

/** No license, an expired one, or one without the tunnel: what that means here, and how to fix it. */
function Unlicensed({ code }: { code: 'LicenseExpired' | 'FeatureNotFound' }) {
  const i18n = useI18n();
  const isExpired = code === 'LicenseExpired';
  return (
    <PageState
      isInline
      icon={IconCertificateOff}
      title={i18n.t(isExpired ? 'tunnel.expired.title' : 'tunnel.notCovered.title')}
      text={i18n.t(isExpired ? 'tunnel.expired.text' : 'tunnel.notCovered.text')}
      action={
        <Button size="sm" renderRoot={(props) => <Link to="/administration/license" {...props} />}>
          {i18n.t('banner.license.upload')}
        </Button>
      }
    />
  );
}

function TunnelPanel({ tunnel }: { tunnel: TunnelStatus }) {
  const i18n = useI18n();
  const { locations } = tunnel;
  const start = useStartTunnel();
  const stop = useStopTunnel();
  const save = useSaveConfiguration();
  const [chosen, setChosen] = useState<string | null>(null);
  const code = chosen ?? tunnel.location;
  const location = locations.find((one) => one.code === code) ?? locations[0];
  if (!location) return null;
  const pinKey = (hostKey: string) => {
    const values = { ...valuesOf(location), hostKey };
    save.mutate({ tunnel: { locations: locationsWith(locations, location.code, values) } });
  };
  return (
    <div className={classes.screen}>
      <p className={classes.intro}>{i18n.t('tunnel.intro')}</p>
      {locations.length > 1 && (
        <NativeSelect
          size="sm"
          className={classes.choice}
          label={i18n.t('tunnel.location')}
          value={location.code}
          data={locations.map((one) => ({ value: one.code, label: one.name }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      <TunnelState
        tunnel={tunnel}
        location={location}
        isPending={start.isPending || stop.isPending || save.isPending}
        onStart={() => start.mutate(location.code)}
        onStop={() => stop.mutate()}
        onPin={pinKey}
      />
      <RelayForm key={location.code} location={location} locations={locations} />
      <FormSection
        title={i18n.t('tunnel.onRelay')}
        text={i18n.t('tunnel.onRelay.text', { user: location.user })}
      >
        <CopyLine label={i18n.t('tunnel.onRelay.line')} text={location.authorizedKey} />
      </FormSection>
    </div>
  );
}
