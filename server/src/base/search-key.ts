/**
 * Text in the form in which it is searched, sorted and compared: lower case and Unicode-normalised, the same on
 * both database engines.
 */
export function keyOf(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
