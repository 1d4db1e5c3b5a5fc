import { Anchor } from '@mantine/core';
import IconSettings from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { Link } from '../../../routing/react/link.tsx';
import classes from './mosaic.module.css';

/** Leads to the editor of a mosaic. */
export function MosaicSettingsLink({ id }: { id: number }) {
  const i18n = useI18n();
  return (
    <Anchor
      renderRoot={(rest) => <Link to="/mosaic/$id/edit" params={{ id: String(id) }} {...rest} />}
      className={classes.settings}
      inherit
    >
      <IconSettings size={18} stroke={1.6} aria-hidden="true" />
      <span className={classes.settingsWords}>{i18n.t('mosaic.settings')}</span>
    </Anchor>
  );
}
