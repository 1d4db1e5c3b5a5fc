/**
 * Text in the form in which it is searched, sorted and compared: lower case and Unicode-normalised, the same on
 * both database engines.
 */
export function keyOf(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/**
 * The key by which names are sorted, from the name's `keyOf`: each run of digits is its value, led by the number of
 * its digits, so that "camera 2" is before "camera 10" when the keys are compared as bytes. Numbers are of at most 999
 * digits, and equal with leading zeros and without.
 */
export function sortKeyOf(key: string): string {
  return key.replace(/\d+/g, (digits) => {
    const value = digits.replace(/^0+(?=\d)/, '');
    return `${String(value.length).padStart(3, '0')}${value}`;
  });
}
