import type { FieldError, MessageLanguage } from '@vidette/contract/errors';
import { messageOf, type ErrorCode } from '@vidette/contract/errors';
import type { CallName } from '@vidette/contract/routes';
import type { z } from 'zod';
import { z as zod } from 'zod';
import { Fault } from '../base/fault.ts';
import { fieldsMax } from './failure.ts';

/** Zod's own messages, in the reader's language. */
export const wordings = {
  en: zod.locales.en().localeError,
  ru: zod.locales.ru().localeError,
} as const;

/** Members whose errors have their own code [R8.11], for the calls whose forms show them at the field. */
const streamFields: ReadonlyMap<string, ErrorCode> = new Map([
  ['name', 'STREAM_NAME_ERR'],
  ['streamSource', 'STREAM_SOURCE_ERR'],
  ['subStreamSource', 'STREAM_SOURCE_ERR'],
  ['archive.depthHours', 'ARCHIVE_DEPTH_ERR'],
]);
const fieldCodes: Partial<Record<CallName, ReadonlyMap<string, ErrorCode>>> = {
  addStream: streamFields,
  saveStream: streamFields,
};

/** A ValidationError that names the invalid members, up to the limit of an answer. */
export function validationFault(name: CallName, error: z.ZodError, language: MessageLanguage): Fault {
  /** A value that violates several rules is reported once, for the first. */
  const found = new Map<string, FieldError>();
  for (const issue of error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    for (const key of keys) {
      if (found.size >= fieldsMax) break;
      const path = [...issue.path, ...(key === undefined ? [] : [key])].join('.');
      if (found.has(path)) continue;
      const code = fieldCodes[name]?.get(path);
      found.set(path, {
        path,
        code: code ?? issue.code,
        error: code ? messageOf(code, language) : issue.message,
      });
    }
  }
  return new Fault('ValidationError', 'The request does not match its schema.', {
    details: { fields: [...found.values()] },
  });
}
