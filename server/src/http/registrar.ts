import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import { calls } from '@vidette/contract/calls';
import { limits } from '@vidette/contract/constants';
import type { Call } from '@vidette/contract/call';
import { routes, type CallName } from '@vidette/contract/routes';
import { Fault } from '../base/fault.ts';
import { prepareSocket } from '../base/web-socket.ts';
import type { PendingUpgrade } from '../engine/remote-viewers.ts';
import type { CallChecks } from './call-checks.ts';
import type { AnswerOf, CallContext, Handler, MediaAnswer } from './call-context.ts';
import type { CallRecord } from './call-record.ts';
import { callerIp } from './credentials.ts';
import { sendFault } from './failure.ts';

/** What a call that becomes a WebSocket does before the upgrade. */
export interface SocketOptions<Name extends CallName, Admitted> {
  /**
   * Makes the checks that the call can't declare, throws a Fault to refuse, and returns a value for the
   * handler.
   */
  readonly admit?: (context: CallContext<Name>) => Promise<Admitted>;
  /** Has another process answer the upgrade and serve the socket. False where it can't: the handler serves it. */
  readonly handOver?: (
    context: CallContext<Name>,
    upgrade: PendingUpgrade,
    admitted: Admitted,
  ) => Promise<boolean>;
}

/**
 * Registers calls of the contract on the server: the address from `routes`, checks and rights from `calls`, the
 * answer validated against its schema, so that nothing undeclared is sent. A handler sees only requests that
 * have passed.
 */
export class Registrar {
  readonly #server: FastifyInstance;
  readonly #checks: CallChecks;
  readonly #record: CallRecord;
  readonly #registered = new Set<CallName>();
  /** What clients have sent after requests for an upgrade. */
  readonly #heads = new WeakMap<IncomingMessage, Uint8Array>();

  constructor(server: FastifyInstance, checks: CallChecks, record: CallRecord) {
    this.#server = server;
    this.#checks = checks;
    this.#record = record;
    server.server.on('upgrade', (request: IncomingMessage, _: unknown, head: Uint8Array) => {
      if (head.length > 0) this.#heads.set(request, head);
    });
  }

  /** Names of calls that have no handler yet; empty once the server is complete. */
  get missing(): CallName[] {
    return (Object.keys(routes) as CallName[]).filter((name) => !this.#registered.has(name));
  }

  handle<Name extends CallName>(name: Name, handler: Handler<Name>): void {
    this.#registered.add(name);
    const { method, path } = routes[name];
    this.#server.route({
      method,
      url: pathOf(path),
      bodyLimit: bodyLimitOf(calls[name]),
      handler: (request, reply) =>
        this.#answer(name, handler as unknown as Handler<CallName>, request, reply),
    });
  }

  /** A call that becomes a WebSocket: refusals happen before the upgrade, with the catalogue's answer. */
  handleSocket<Name extends CallName, Admitted = undefined>(
    name: Name,
    handler: (context: CallContext<Name>, socket: WebSocket, admitted: Admitted) => void,
    { admit, handOver }: SocketOptions<Name, Admitted> = {},
  ): void {
    this.#registered.add(name);
    const call: Call = calls[name];
    const ready = new WeakMap<FastifyRequest, (socket: WebSocket) => void>();
    this.#server.route({
      method: 'GET',
      url: pathOf(routes[name].path),
      preHandler: async (request, reply) => {
        const checked = this.#checks.begin(request, reply);
        try {
          const passed = await this.#checks.pass(name, checked);
          const context = passed as unknown as CallContext<Name>;
          if (!request.ws) throw new Fault('BadRequest', 'A WebSocket is expected here.');
          const admitted = (await admit?.(context)) as Admitted;
          ready.set(request, (socket) => handler(context, socket, admitted));
          if (call.audited) this.#record.note(name, passed.ip, checked.audit, 'ok');
          if (await handOver?.(context, this.#pendingUpgrade(request), admitted)) reply.hijack();
        } catch (error) {
          // A connection whose upgrade is refused ends there; an agent must not use it again (RFC 9112, 9.6).
          void reply.header('connection', 'close');
          await sendFault(reply, this.#record.fail(name, error, request), this.#checks.languageOf(checked));
        }
      },
      handler: () => {},
      wsHandler: (socket, request) => {
        const serve = ready.get(request);
        prepareSocket(socket, request.raw.socket);
        if (serve) serve(socket);
        else socket.terminate();
      },
    });
  }

  #pendingUpgrade({ raw }: FastifyRequest): PendingUpgrade {
    const { socket: connection, headers } = raw;
    return { connection, headers, head: this.#heads.get(raw) ?? Buffer.alloc(0) };
  }

  async #answer(
    name: CallName,
    handler: Handler<CallName>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const call: Call = calls[name];
    const checked = this.#checks.begin(request, reply);
    const { audit } = checked;
    try {
      const answer = await handler(await this.#checks.pass(name, checked));
      this.#record.noteIfDue(name, callerIp(request), audit, 'ok');
      return 'contentType' in call.reply
        ? this.#sendMedia(name, reply, answer as MediaAnswer)
        : sendJson(reply, encode(name, call.reply, answer));
    } catch (error) {
      const fault = this.#record.fail(name, error, request);
      this.#record.noteIfDue(name, callerIp(request), audit, fault.code);
      return sendFault(reply, fault, this.#checks.languageOf(checked));
    }
  }

  /**
   * A body that fails while it is sent can only be cut short: the log gives the reason, because the client sees
   * nothing else.
   */
  #sendMedia(name: CallName, reply: FastifyReply, answer: MediaAnswer): FastifyReply {
    void reply.header('cache-control', 'no-store');
    for (const [key, value] of Object.entries(answer.headers ?? {})) void reply.header(key, value);
    const { body } = answer;
    if (body instanceof Readable) body.once('error', (error) => this.#record.noteCut(name, error));
    return reply
      .code(answer.status ?? 200)
      .type(answer.contentType)
      .send(body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body);
  }
}

function pathOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/**
 * A call open to anyone accepts the size of a form; only calls that accept long lists accept more than a long
 * form.
 */
function bodyLimitOf(call: Call): number {
  if (call.who === 'anyone') return limits.openBodyMaxBytes;
  return call.takesLongLists ? limits.bodyMaxBytes : limits.usualBodyMaxBytes;
}

/** Only data that the schema declares is sent. */
function encode(name: CallName, schema: z.ZodType, answer: AnswerOf<CallName>): string {
  const result = schema.safeParse(answer);
  if (!result.success) {
    throw new Fault('ResponseEncodeError', `The answer of ${name} does not match its schema.`, {
      cause: result.error,
    });
  }
  return JSON.stringify(result.data);
}

function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(json);
}
