import type { KeyRow } from '../../components/keys-dialog.tsx';

/** The keyboard shortcuts of the screen. */
export const viewKeys: readonly KeyRow[] = [
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
  [['1', '…', '9', '0'], 'player.keys.camera'],
  [['↑', '↓'], 'player.keys.cameraBeside'],
  [['M'], 'player.keys.mute'],
  [['F'], 'player.keys.fullScreen'],
  [['I'], 'player.keys.figures'],
  [['?'], 'player.keys.help'],
];
