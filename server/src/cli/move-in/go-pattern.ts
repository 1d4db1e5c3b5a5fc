import { RE2JS, RE2JSException } from 're2js';

/** A regular expression as programs in Go understand it. */
export interface GoPattern {
  /** What its groups match where it is found in a text; undefined if it is not. */
  readonly groupsOf: (text: string) => readonly string[] | undefined;
}

/**
 * Compiles one, in time that grows with the text and not with its combinations, as in Go (RE2): JavaScript's own have another
 * syntax, and a pattern that is harmless there may take for ever here. Undefined if it is none.
 */
export function compileGoPattern(source: string): GoPattern | undefined {
  try {
    const pattern = RE2JS.compile(source);
    return {
      groupsOf: (text) => {
        const matcher = pattern.matcher(text);
        if (!matcher.find()) return undefined;
        return Array.from({ length: matcher.groupCount() }, (_, index) => matcher.group(index + 1) ?? '');
      },
    };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return undefined;
  }
}
