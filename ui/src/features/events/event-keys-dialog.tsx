import { Kbd, Modal } from '@mantine/core';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import classes from './events.module.css';

const rows: readonly (readonly [readonly string[], MessageKey])[] = [
  [['J', 'K', '↓', '↑'], 'events.keys.choose'],
  [['Home', 'End'], 'events.keys.ends'],
  [['Enter'], 'events.keys.play'],
  [['␣'], 'player.keys.play'],
  [['R'], 'events.keys.review'],
  [['E'], 'events.keys.export'],
  [['O'], 'events.keys.open'],
  [[',', '.'], 'player.keys.frame'],
  [['←', '→'], 'player.keys.seconds'],
  [['M'], 'player.keys.mute'],
  [['+', '−'], 'player.keys.zoom'],
  [['?'], 'player.keys.help'],
];

/** The list of the screen's keyboard shortcuts. */
export function EventKeysDialog({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const i18n = useI18n();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={i18n.t('player.keys')}
      closeButtonProps={{ 'aria-label': i18n.t('action.close') }}
    >
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
    </Modal>
  );
}
