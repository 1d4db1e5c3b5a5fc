import { Button } from '@mantine/core';
import { useI18n } from '../i18n/i18n-context.tsx';
import { Link } from '../routing/react/link.tsx';

/** Leads to the configuration. */
export function ConfigurationButton() {
  const i18n = useI18n();
  return (
    <Button
      size="sm"
      variant="default"
      renderRoot={(props) => <Link to="/administration/config" {...props} />}
    >
      {i18n.t('tab.config')}
    </Button>
  );
}
