/**
 * The stack of an error and those of its causes: a property test's own error only says which values failed.
 * @param {unknown} error
 * @returns {string}
 */
export function failureText(error) {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? String(error);
  return error.cause === undefined ? stack : `${stack}\nCause: ${failureText(error.cause)}`;
}
