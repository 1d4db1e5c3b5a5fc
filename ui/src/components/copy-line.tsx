import { Button, CopyButton } from '@mantine/core';
import { useI18n } from '../i18n/i18n-context.tsx';
import classes from './copy-line.module.css';

/** A text with a button that copies it. */
export function CopyLine({ label, text }: { label: string; text: string }) {
  const i18n = useI18n();
  return (
    <div className={classes.line}>
      <code aria-label={label} className={classes.text}>
        {text}
      </code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="sm" variant="default" onClick={copy}>
            {i18n.t(copied ? 'action.copied' : 'action.copy')}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
