import { ApiError } from '@vidette/contract/client';
import { messageOf, type ErrorCode } from '@vidette/contract/errors';
import type { I18n, MessageKey } from '../i18n/i18n.ts';

/** The form field that an error code refers to. */
export type CodeFields = Readonly<Partial<Record<ErrorCode, string>>>;

/** The page's own text for an invalid field; the server's text is shown for fields without one. */
export type FieldMessages = Readonly<Record<string, MessageKey>>;

/**
 * Splits a failed call into errors per field, by path as in `archive.depthHours`. Empty when the failure
 * concerns no field of the form; it is then shown for the form as a whole.
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

/** On a busy machine the form may render its errors some frames later; after this many frames it has none. */
const framesToRender = 60;

/** Focuses the first field of the screen's form that has an error, once the form has rendered it. */
export function focusFirstError(): void {
  let frames = 0;
  const look = () => {
    const field = document.querySelector<HTMLElement>('main form [aria-invalid="true"]');
    if (field) field.focus();
    else if (++frames < framesToRender) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
