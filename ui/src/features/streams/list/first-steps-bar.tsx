import { Button, CloseButton } from '@mantine/core';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { Link } from '../../../routing/react/link.tsx';
import classes from './streams.module.css';

/** Leads to the checklist after the setup, until it is closed. */
export function FirstStepsBar({ onClose }: { readonly onClose: () => void }) {
  const i18n = useI18n();
  return (
    <section className={classes.steps} aria-label={i18n.t('streams.steps')}>
      <p>{i18n.t('streams.steps.text')}</p>
      <Button size="sm" variant="light" renderRoot={(props) => <Link to="/first-steps" {...props} />}>
        {i18n.t('streams.steps')}
      </Button>
      <CloseButton size="md" aria-label={i18n.t('action.dismiss')} onClick={onClose} />
    </section>
  );
}
