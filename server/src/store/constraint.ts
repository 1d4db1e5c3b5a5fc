import { NoResultError } from 'kysely';

/** Whether a write violated a unique constraint, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // An error of the writer thread arrives as a copy: only its message identifies it on both engines.
  return /UNIQUE constraint failed/.test(error.message) || (error as { code?: unknown }).code === '23505';
}

/** Whether the database had been closed before a call was done with it: the process ends, or another one takes its place. */
export function isClosedMeanwhile(error: unknown): boolean {
  return error instanceof Error && error.message === 'driver has already been destroyed';
}

/**
 * Whether a write failed because a row that it changes or refers to was deleted after it had been looked up.
 */
export function isGoneMeanwhile(error: unknown): boolean {
  if (error instanceof NoResultError) return true;
  if (!(error instanceof Error)) return false;
  return (
    /FOREIGN KEY constraint failed/.test(error.message) || (error as { code?: unknown }).code === '23503'
  );
}
