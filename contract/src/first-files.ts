/**
 * The files of the built page that a first screen needs beside those that every page names, as the build lists them in
 * `first-files.json` for the server. Paths are below the page's root; scripts, style sheets and fonts. Contains no Zod.
 */
export interface FirstFiles {
  /** Of the frame around the screens of a signed-in user. */
  readonly frame: readonly string[];
  /** Of the texts that suffice for the first screens, by language. */
  readonly firstMessages: Readonly<Record<string, readonly string[]>>;
  /** Of all other texts, by language. */
  readonly otherMessages: Readonly<Record<string, readonly string[]>>;
  /** By language. Without them, the first text would be laid out twice. */
  readonly fonts: Readonly<Record<string, readonly string[]>>;
  /** By address, in which `$name` is a parameter. */
  readonly screens: Readonly<Record<string, FirstScreen>>;
}

interface FirstScreen {
  readonly files: readonly string[];
  readonly usesFirstMessages: boolean;
}
