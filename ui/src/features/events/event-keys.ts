import type { KeyRow } from '../../components/keys-dialog.tsx';

/** The keyboard shortcuts of the screen. */
export const eventKeys: readonly KeyRow[] = [
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
