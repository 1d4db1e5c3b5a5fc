import { isErrorCode, messageOf } from '@vidette/contract/errors';
import type { I18n } from '../i18n/i18n.ts';

/** The catalogue's text for an error code, which a server of another version may have sent. */
export function codeText(code: string | null, i18n: I18n): string {
  return messageOf(isErrorCode(code) ? code : 'SERVER_UNKNOWN_ERR', i18n.language);
}
