import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Why an engine ended itself. */
export interface CrashNote {
  /** The stream whose data caused it; undefined when that is not known. */
  readonly uid: string | undefined;
  readonly message: string;
}

/** Where an engine leaves its note, beside its socket. */
function pathOf(socket: string): string {
  return `${socket}.crash`;
}

/** Leaves a note for the front, which reads it when the connection is lost. The process is about to end: never throws. */
export function leaveCrashNote(socket: string, note: CrashNote): void {
  try {
    writeFileSync(pathOf(socket), JSON.stringify(note), { mode: 0o600 });
  } catch {
    // Then the crash counts against no stream.
  }
}

/** The process did not have to end after all. Never throws. */
export function removeCrashNote(socket: string): void {
  try {
    rmSync(pathOf(socket), { force: true });
  } catch {
    // The next note replaces it.
  }
}

/** Takes the note of an engine that was lost; undefined when it left none, as after a kill. */
export function takeCrashNote(socket: string): CrashNote | undefined {
  try {
    const note = JSON.parse(readFileSync(pathOf(socket), 'utf8')) as CrashNote;
    rmSync(pathOf(socket), { force: true });
    return note;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
