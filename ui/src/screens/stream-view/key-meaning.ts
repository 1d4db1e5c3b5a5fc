/** Signs by their place on the keyboard, for layouts that write other letters there. */
const signs: Readonly<Record<string, readonly [plain: string, shifted: string]>> = {
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
  Comma: [',', '<'],
  Period: ['.', '>'],
  Slash: ['/', '?'],
};

/** What a key means here: the letter or sign it writes, or on a layout without Latin letters the one of its place. */
export function keyMeaning({ key, code, shiftKey }: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): string {
  if (key.length > 1) return key;
  if (/^[\x20-\x7e]$/.test(key)) return key.toLowerCase();
  if (code.startsWith('Key')) return code.slice(3).toLowerCase();
  return signs[code]?.[shiftKey ? 1 : 0] ?? key;
}
