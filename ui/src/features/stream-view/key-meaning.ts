/** Signs by physical key, for layouts that produce other characters there. */
const signs: Readonly<Record<string, readonly [plain: string, shifted: string]>> = {
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
  Comma: [',', '<'],
  Period: ['.', '>'],
  Slash: ['/', '?'],
};

/**
 * The meaning of a key: the letter or sign it produces, or on a layout without Latin letters the one of its
 * physical key.
 */
export function keyMeaning({
  key,
  code,
  shiftKey,
}: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): string {
  if (key.length > 1) return key;
  if (/^[\x20-\x7e]$/.test(key)) return key.toLowerCase();
  if (code.startsWith('Key')) return code.slice(3).toLowerCase();
  return signs[code]?.[shiftKey ? 1 : 0] ?? key;
}
