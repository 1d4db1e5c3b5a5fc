import type { FastifyError, FastifyReply } from 'fastify';
import {
  catalogue,
  isErrorCode,
  messageOf,
  type ErrorBody,
  type MessageLanguage,
} from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { isClosedMeanwhile, isGoneMeanwhile, isUniqueViolation } from '../store/constraint.ts';
import { knownReason, sentencesOf } from '../base/known-reasons.ts';

/** Limits of an answer to bad input; names in it may come from the caller, and be as long as a body. */
export const fieldsMax = 50;
const pathMaxLength = 200;
const wordsMaxLength = 300;

/** Maps any thrown value to a Fault: foreign errors get their code here and nowhere else. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Fault('RequestDecodeError', 'The body is not JSON.', { cause: error });
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Fault('BadRequest', 'The body is too large.', { cause: error });
  }
  if (isUniqueViolation(error)) return new Fault('AlreadyUsed', 'A value is already used.', { cause: error });
  if (isGoneMeanwhile(error)) {
    return new Fault('ActionNotAcceptable', 'It has been removed in the meantime.', { cause: error });
  }
  if (isClosedMeanwhile(error)) {
    const details = { retryAfterSeconds: 1 };
    return new Fault('Unavailable', 'The server ends, or is being replaced.', { cause: error, details });
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new Fault('BadRequest', 'The request is malformed.', { cause: error });
  }
  return new Fault('InternalServerError', 'Internal error.', { cause: error });
}

/** Sends the catalogue's answer for a fault, in the reader's language. */
export function sendFault(reply: FastifyReply, fault: Fault, language: MessageLanguage): FastifyReply {
  const { status } = catalogue[fault.code];
  const retryAfter = fault.details['retryAfterSeconds'];
  if (typeof retryAfter === 'number') void reply.header('retry-after', String(retryAfter));
  void reply.header('cache-control', 'no-store');
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(bodyOf(fault, language)));
}

/** Longer queries are not parsed for the log. */
const queryMaxLength = 1_000;

/** Server errors are logged with their cause; callers' errors are not. */
export function logFault(log: Log, fault: Fault, fields: Readonly<Record<string, unknown>>): void {
  if (catalogue[fault.code].status !== 500) return;
  const { url, ...others } = fields;
  const shown = typeof url === 'string' ? { url: withoutValues(url) } : {};
  log.error({ ...others, ...shown, code: fault.code, error: fault.cause ?? fault }, fault.message);
}

/** Only the names of query parameters: `url` of a probe is a camera's address, credentials included. */
function withoutValues(url: string): string {
  const [path = '', query] = url.split('?', 2);
  if (query === undefined) return path;
  const names = new URLSearchParams(query.slice(0, queryMaxLength)).keys();
  return `${path}?${[...names].map((name) => `${encodeURIComponent(name)}=`).join('&')}`;
}

/** The response body for a fault. */
export function bodyOf(fault: Fault, language: MessageLanguage): ErrorBody {
  const fields = fault.details['fields'];
  const waitSeconds = fault.details['retryAfterSeconds'];
  const error =
    fault.code === 'TooManyRequests' && typeof waitSeconds === 'number'
      ? waitMessage(waitSeconds, language)
      : sentencesOf(fault.code, fault.message, language);
  const body = { code: fault.code, error };
  if (!Array.isArray(fields)) return body;
  return {
    ...body,
    fields: (fields as { path: string; code: string; error?: string }[])
      .slice(0, fieldsMax)
      .map(({ path, code, error }) => ({
        path: shortened(path, pathMaxLength),
        code,
        error: shortened(wordsOf(code, error, language, body.error), wordsMaxLength),
      })),
  };
}

/** Waits from this length are given in minutes, rounded up. */
const minutesFromSeconds = 120;

/** The catalogue's sentence, with the time to wait in place of "later". */
function waitMessage(seconds: number, language: MessageLanguage): string {
  const isLong = seconds >= minutesFromSeconds;
  const wait = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: isLong ? 'minute' : 'second',
    unitDisplay: language === 'ru' ? 'short' : 'long',
  }).format(isLong ? Math.ceil(seconds / 60) : Math.max(1, Math.ceil(seconds)));
  return language === 'ru'
    ? `Слишком много запросов. Попробуйте снова через ${wait}${wait.endsWith('.') ? '' : '.'}`
    : `Too many requests. Try again in ${wait}.`;
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3).toWellFormed()}...`;
}

/**
 * Messages that a module wrote for a specific case are in English; Russian readers get a translation if there
 * is one, else the catalogue's message.
 */
function wordsOf(
  code: string,
  written: string | undefined,
  language: MessageLanguage,
  fallback: string,
): string {
  if (!isErrorCode(code)) return written ?? fallback;
  const words = language === 'en' ? written : written && knownReason(written, language);
  return words ?? messageOf(code, language);
}
