import { NoResultError } from 'kysely';

/** Whether a write failed because a value that must be unique is taken, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // An error of the writing thread arrives as a copy: its message is all that both engines leave to tell by.
  return /UNIQUE constraint failed/.test(error.message) || (error as { code?: unknown }).code === '23505';
}

/** Whether a write failed because what it changes or refers to was removed after it had been looked up. */
export function isGoneMeanwhile(error: unknown): boolean {
  if (error instanceof NoResultError) return true;
  if (!(error instanceof Error)) return false;
  return (
    /FOREIGN KEY constraint failed/.test(error.message) || (error as { code?: unknown }).code === '23503'
  );
}
