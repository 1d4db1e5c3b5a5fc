import { Kbd } from '@mantine/core';
import { Dialog } from './dialog.tsx';
import { useI18n } from '../i18n/i18n-context.tsx';
import type { MessageKey } from '../i18n/i18n.ts';
import classes from './keys-dialog.module.css';

/** Keys that do one thing, and what that is. */
export type KeyRow = readonly [keys: readonly string[], label: MessageKey];

interface KeysDialogProps {
  readonly rows: readonly KeyRow[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Within the element that is full screen, outside of which the dialog would not be visible. */
  readonly isInside?: boolean;
}

/** The list of a screen's keyboard shortcuts. */
export function KeysDialog({ rows, isOpen, onClose, isInside = false }: KeysDialogProps) {
  const i18n = useI18n();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={i18n.t('player.keys')} withinPortal={!isInside}>
      <dl className={classes.keys}>
        {rows.map(([keys, label]) => (
          <div key={label}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key} size="sm">
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd>{i18n.t(label)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
