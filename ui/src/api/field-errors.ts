import { ApiError } from '@vidette/contract/client';
import { messageOf, type ErrorCode } from '@vidette/contract/errors';
import type { I18n, MessageKey } from '../i18n/i18n.ts';

/** Which field of a form a code speaks of. */
export type CodeFields = Readonly<Partial<Record<ErrorCode, string>>>;

/** Own words for a field that did not pass; the server's are shown for fields that have none. */
export type FieldMessages = Readonly<Record<string, MessageKey>>;

/**
 * Takes a failed call apart for a form: what stands at which field, by path as in `archive.depthHours`.
 * Empty when the failure is about no field of the form, and is then shown for the form as a whole.
 */
export function fieldErrorsOf(
  error: unknown,
  i18n: I18n,
  codeFields: CodeFields,
  words: FieldMessages = {},
): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const errors: Record<string, string> = {};
  const field = codeFields[error.code];
  if (field) errors[field] = error.message || messageOf(error.code, i18n.language);
  for (const { path, error: text } of error.fields) {
    const own = words[path];
    errors[path] = own ? i18n.t(own) : text;
  }
  return errors;
}

/** Puts the cursor into the first field of the screen's form that has an error, once the form has drawn it. */
export function focusFirstError(): void {
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>('main form [aria-invalid="true"]')?.focus();
  });
}
