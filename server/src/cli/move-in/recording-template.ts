/**
 * Templates of recordings' paths: the conversions of `strftime` (`%Y %m %d %H %M %S`), `%f` for microseconds, `%s` for seconds
 * since the epoch, `%z` for the distance to UTC, and `%path` for the camera.
 */
import { compileGoPattern } from './go-pattern.ts';

type Field = 'Y' | 'm' | 'd' | 'H' | 'M' | 'S' | 'f' | 's' | 'z';
export type Fields = Readonly<Partial<Record<Field, string>>>;

/** Files in the folders of a camera's recordings whose names differ. */
export interface OtherName {
  /** The last part of a template. */
  readonly name: string;
  /** Why they are left out; undefined: they are recordings, too. */
  readonly reason?: string;
}

/** Where a configuration puts recordings. */
export interface RecordPath {
  /** Relative to the configuration's folder, as `RecordingLayout.template`. */
  readonly path: string;
  readonly others: readonly OtherName[];
}

/** Names that one part of a path may have. */
export interface NamePattern {
  readonly pattern: RegExp;
  readonly fields: readonly Field[];
}

const digits: Readonly<Record<Field, string>> = {
  Y: String.raw`(\d{4})`,
  m: String.raw`(\d{2})`,
  d: String.raw`(\d{2})`,
  H: String.raw`(\d{2})`,
  M: String.raw`(\d{2})`,
  S: String.raw`(\d{2})`,
  f: String.raw`(\d{6})`,
  s: String.raw`(\d{9,11})`,
  z: String.raw`(Z|[+-]\d{4})`,
};

/** The patterns of a template's part; one with `%path` may be several parts of a path. */
export function patternsOf(part: string, camera: string): NamePattern[] {
  // A name may contain a percent sign.
  const named = part.replaceAll('%path', camera.replaceAll('%', '\0'));
  return named.split('/').map((text) => {
    const fields: Field[] = [];
    const source = text.split(/(%[YmdHMSfsz])/).map((piece) => {
      const field = fieldOf(piece);
      if (field === undefined) return literal(piece.replaceAll('\0', '%'));
      fields.push(field);
      return digits[field];
    });
    return { pattern: new RegExp(`^${source.join('')}$`), fields };
  });
}

/** Finds the camera's name in paths that fit a template; undefined if a path does not fit. */
export function cameraFinder(template: string): (path: string) => string | undefined {
  const source = template.split(/(%path|%[YmdHMSfsz])/).map((piece) => {
    if (piece === '%path') return '(.+?)';
    const field = fieldOf(piece);
    return field === undefined ? literal(piece) : digits[field].replace('(', '(?:');
  });
  // A template may name the camera twice, which would take other engines a time that grows with the square of the path.
  const pattern = compileGoPattern(`^${source.join('')}$`);
  return (path) => {
    const [name, ...others] = pattern?.groupsOf(path) ?? [];
    return others.every((other) => other === name) ? name : undefined;
  };
}

function fieldOf(piece: string): Field | undefined {
  const letter = piece.startsWith('%') ? piece.slice(1) : '';
  return Object.hasOwn(digits, letter) ? (letter as Field) : undefined;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
