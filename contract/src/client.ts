import type { z } from 'zod';
import type { Calls } from './calls.ts';
import type { MediaReply } from './call.ts';
import { timeouts } from './constants.ts';
import { isErrorCode, type ErrorCode, type FieldError } from './errors.ts';
import { addressOf, routes, type CallName, type Route } from './routes.ts';

/**
 * The typed client of the page and of black-box tests. It knows addresses and time limits, but no schemas:
 * those are types here and checks on the server.
 */

type InputPart<Key extends string, Schema> = Schema extends z.ZodType
  ? {} extends z.input<Schema>
    ? { [K in Key]?: z.input<Schema> | undefined }
    : undefined extends z.input<Schema>
      ? { [K in Key]?: z.input<Schema> }
      : { [K in Key]: z.input<Schema> }
  : unknown;

type MemberOf<Name extends CallName, Key extends string> = Key extends keyof Calls[Name]
  ? Calls[Name][Key]
  : undefined;

/** The input of a call: `params` of the path, `query`, `body`, each if the call has one. */
export type RequestOf<Name extends CallName> = InputPart<'params', MemberOf<Name, 'params'>> &
  InputPart<'query', MemberOf<Name, 'query'>> &
  InputPart<'body', MemberOf<Name, 'body'>>;

/** The output of a call: an entity, or the raw Response for images, video and playlists. */
export type ReplyOf<Name extends CallName> = Calls[Name]['reply'] extends z.ZodType
  ? z.output<Calls[Name]['reply']>
  : Calls[Name]['reply'] extends MediaReply
    ? Response
    : never;

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

type CallFunction<Name extends CallName> =
  {} extends RequestOf<Name>
    ? (request?: RequestOf<Name>, options?: CallOptions) => Promise<ReplyOf<Name>>
    : (request: RequestOf<Name>, options?: CallOptions) => Promise<ReplyOf<Name>>;

export type Client = { readonly [Name in CallName]: CallFunction<Name> };

/** A failed call: the server's error response, or the lack of one. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly fields: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    status: number,
    details: { fields?: readonly FieldError[]; retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.fields = details.fields ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

export interface ClientOptions {
  /** Prefix of every path, as in `http://127.0.0.1:8080`; empty for the page's own server. */
  readonly baseUrl?: string;
  readonly fetch?: typeof fetch;
  /** Returns the headers of a call; evaluated for each call, as for a Bearer token or a cookie jar. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /**
   * Called with every response before it is read: for Set-Cookie in tests, and for Retry-After of a success.
   */
  readonly onResponse?: (name: CallName, response: Response) => void;
}

interface AnyRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/**
 * One function per call of the contract. A function rejects with ApiError, or with the signal's reason when
 * the caller aborted.
 */
export function createClient(options: ClientOptions = {}): Client {
  const send = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  const functions: Record<string, unknown> = {};
  for (const name of Object.keys(routes) as CallName[]) {
    functions[name] = (request: AnyRequest = {}, callOptions: CallOptions = {}) =>
      runCall(name, request, callOptions, options, send);
  }
  return functions as Client;
}

async function runCall(
  name: CallName,
  request: AnyRequest,
  callOptions: CallOptions,
  options: ClientOptions,
  send: typeof fetch,
): Promise<unknown> {
  const route: Route = routes[name];
  const timeout = AbortSignal.timeout(callOptions.timeoutMs ?? route.timeoutMs ?? timeouts.defaultMs);
  const signal = callOptions.signal ? AbortSignal.any([callOptions.signal, timeout]) : timeout;
  const headers: Record<string, string> = { accept: 'application/json, */*', ...options.headers?.() };
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  try {
    const response = await send((options.baseUrl ?? '') + addressOf(name, request.params, request.query), {
      method: route.method,
      headers,
      body: request.body === undefined ? null : JSON.stringify(request.body),
      credentials: 'same-origin',
      signal,
    });
    options.onResponse?.(name, response);
    if (!response.ok) throw await errorOf(response);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return isJson ? await response.json() : response;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (callOptions.signal?.aborted) throw callOptions.signal.reason;
    throw new ApiError('SERVER_NOT_RESPONSE_ERR', 'Server is not responding.', 0, { cause: error });
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = await bodyOf(response);
  const code = isErrorCode(body['code']) ? body['code'] : 'SERVER_UNKNOWN_ERR';
  const message = typeof body['error'] === 'string' ? body['error'] : response.statusText;
  const fields = Array.isArray(body['fields']) ? (body['fields'] as FieldError[]) : [];
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  return new ApiError(code, message, response.status, { fields, retryAfterSeconds });
}

/**
 * An error response may come from a proxy and be anything; one that doesn't match the catalogue's shape is an
 * unknown error.
 */
async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  if (!text.startsWith('{')) return {};
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
