import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import type { StreamRight } from '@vidette/contract/call';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { CallName } from '@vidette/contract/routes';
import type { Principal } from '../access/principal.ts';
import type { SeenStream } from '../store/stream-list.ts';
import type { AuditNote } from '../system/audit-event.ts';

type Checked<Name extends CallName, Key extends string> = Key extends keyof Calls[Name]
  ? Calls[Name][Key] extends z.ZodType
    ? z.output<Calls[Name][Key]>
    : undefined
  : undefined;

/** What a handler gets: a validated request and an authorised caller. */
export interface CallContext<Name extends CallName> {
  readonly params: Checked<Name, 'params'>;
  readonly query: Checked<Name, 'query'>;
  readonly body: Checked<Name, 'body'>;
  readonly principal: Calls[Name]['who'] extends 'anyone' ? Principal | undefined : Principal;
  /** The stream that `uid` names, if the call declares a right on it. */
  readonly stream: Calls[Name] extends { stream: StreamRight } ? SeenStream : undefined;
  readonly language: MessageLanguage;
  readonly ip: string;
  /** Aborted when the caller disconnects before the answer is complete. */
  readonly signal: AbortSignal;
  readonly audit: AuditNote;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** An answer that is not JSON. */
export interface MediaAnswer {
  readonly contentType: string;
  readonly body: Uint8Array | string | Readable;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export type AnswerOf<Name extends CallName> = Calls[Name]['reply'] extends z.ZodType
  ? z.input<Calls[Name]['reply']>
  : MediaAnswer;

export type Handler<Name extends CallName> = (
  context: CallContext<Name>,
) => Promise<AnswerOf<Name>> | AnswerOf<Name>;
