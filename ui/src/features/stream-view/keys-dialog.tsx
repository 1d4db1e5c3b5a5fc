import { Kbd, Modal } from '@mantine/core';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import classes from './stream-view.module.css';

const rows: readonly (readonly [readonly string[], MessageKey])[] = [
  [['K', '␣'], 'player.keys.play'],
  [['J', 'L'], 'player.keys.shuttle'],
  [[',', '.', 'A', 'D'], 'player.keys.frame'],
  [['←', '→'], 'player.keys.seconds'],
  [['PgUp', 'PgDn'], 'player.keys.hour'],
  [['P', 'N'], 'player.keys.event'],
  [['[', ']'], 'player.keys.recording'],
  [['{', '}'], 'player.keys.gap'],
  [['End'], 'player.keys.live'],
  [['Home'], 'player.keys.first'],
  [['+', '−'], 'player.keys.zoom'],
  [['Z', 'X', 'R'], 'player.keys.picture'],
  [['1', '…', '9'], 'player.keys.camera'],
  [['↑', '↓'], 'player.keys.cameraBeside'],
  [['M'], 'player.keys.mute'],
  [['F'], 'player.keys.fullScreen'],
  [['I'], 'player.keys.figures'],
  [['?'], 'player.keys.help'],
];

/** The list of the screen's keyboard shortcuts. */
export function KeysDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const i18n = useI18n();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={i18n.t('player.keys')}
      closeButtonProps={{ 'aria-label': i18n.t('action.close') }}
      withinPortal={false}
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
