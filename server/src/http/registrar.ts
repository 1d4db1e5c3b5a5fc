import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import { calls } from '@vidette/contract/calls';
import { limits } from '@vidette/contract/constants';
import type { Call } from '@vidette/contract/call';
import type { MessageLanguage } from '@vidette/contract/errors';
import { routes, type CallName } from '@vidette/contract/routes';
import type { Principal } from '../access/principal.ts';
import { requireAudience } from '../access/audience-policy.ts';
import { requireStream } from '../access/stream-policy.ts';
import { Fault } from '../base/fault.ts';
import type { SeenStream } from '../store/stream-list.ts';
import type { AnswerOf, AuditNote, CallContext, Handler, MediaAnswer } from './call-context.ts';
import { callerIp, identify } from './credentials.ts';
import { faultOf, logFault, sendFault } from './failure.ts';
import { validationFault, wordings } from './field-errors.ts';
import { languageOfVisitor } from './language.ts';
import { requireSameOrigin } from './origin.ts';
import { readJson } from './json-body.ts';
import { worthJudging } from './judged.ts';
import { decodeText } from './query-decode.ts';
import type { Config } from '../config/schema.ts';
import type { Store } from '../store/store.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { PasswordProof } from '../access/password-proof.ts';
import type { Lock } from '../system/lock.ts';
import type { LicenseService } from '../system/license.ts';
import type { AuditLog } from '../system/audit-log.ts';
import type { Log } from '../base/log.ts';

/** What the checks before a call need. */
export interface RegistrarServices {
  readonly config: Pick<Config, 'publicUrl' | 'app'>;
  readonly store: Pick<Store, 'streamList'>;
  readonly authenticator: Authenticator;
  readonly proof: Pick<PasswordProof, 'requireFor'>;
  readonly lock: Pick<Lock, 'isLocked'>;
  readonly license: Pick<LicenseService, 'requireValid'>;
  readonly audit: Pick<AuditLog, 'add' | 'count'>;
  readonly log: Log;
}

type AnyContext = CallContext<CallName>;

/** Bytes buffered for one viewer; above it pings are not answered. */
const unreadPongsMaxBytes = 8 * 1024 * 1024;

/**
 * Registers calls of the contract on the server: address from `routes`, checks and rights from `calls`, answer
 * validated against its schema, so that nothing undeclared leaves. A handler sees only what has passed.
 */
export class Registrar {
  readonly #server: FastifyInstance;
  readonly #services: RegistrarServices;
  readonly #registered = new Set<CallName>();

  constructor(server: FastifyInstance, services: RegistrarServices) {
    this.#server = server;
    this.#services = services;
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

  /**
   * A call that becomes a WebSocket: every refusal happens before the upgrade, with the catalogue's answer.
   * `admit` checks what the call can't declare, and throws a Fault to refuse.
   */
  handleSocket<Name extends CallName>(
    name: Name,
    handler: (context: CallContext<Name>, socket: WebSocket) => void,
    admit?: (context: CallContext<Name>) => Promise<void>,
  ): void {
    this.#registered.add(name);
    const contexts = new WeakMap<FastifyRequest, AnyContext>();
    this.#server.route({
      method: 'GET',
      url: pathOf(routes[name].path),
      preHandler: async (request, reply) => {
        const call: Call = calls[name];
        const audit = newNote(request);
        let language: MessageLanguage | undefined;
        try {
          const context = await this.#prepare(
            name,
            call,
            request,
            reply,
            audit,
            (known) => (language = known),
          );
          if (!request.ws) throw new Fault('BadRequest', 'A WebSocket is expected here.');
          await admit?.(context as unknown as CallContext<Name>);
          contexts.set(request, context);
          if (call.audited) this.#note(name, context, 'ok');
        } catch (error) {
          // A connection whose upgrade is refused ends there; an agent must not use it again (RFC 9112, 9.6).
          void reply.header('connection', 'close');
          await sendFault(
            reply,
            this.#fail(name, error, request),
            language ?? this.#languageOf(request, undefined),
          );
        }
      },
      handler: () => {},
      wsHandler: (socket, request) => {
        const context = contexts.get(request);
        // Pings are answered only while the client reads the answers: the library would buffer one for each.
        socket.on('ping', (data) => {
          if (socket.readyState === socket.OPEN && socket.bufferedAmount < unreadPongsMaxBytes)
            socket.pong(data);
        });
        if (context) handler(context as unknown as CallContext<Name>, socket);
        else socket.terminate();
      },
    });
  }

  async #answer(
    name: CallName,
    handler: Handler<CallName>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const call: Call = calls[name];
    const audit = newNote(request);
    let language: MessageLanguage | undefined;
    let context: AnyContext | undefined;
    try {
      context = await this.#prepare(name, call, request, reply, audit, (known) => (language = known));
      const answer = await handler(context);
      this.#noteIfDue(name, call, context, audit, 'ok');
      return 'contentType' in call.reply
        ? this.#sendMedia(name, reply, answer as MediaAnswer)
        : sendJson(reply, encode(name, call.reply, answer));
    } catch (error) {
      const fault = this.#fail(name, error, request);
      this.#noteIfDue(name, call, context ?? { ip: callerIp(request) }, audit, fault.code);
      return sendFault(reply, fault, language ?? this.#languageOf(request, undefined));
    }
  }

  /** Every check that may refuse a call, in order: setup, origin, caller, stream, input, license. */
  async #prepare(
    name: CallName,
    call: Call,
    request: FastifyRequest,
    reply: FastifyReply,
    audit: AuditNote,
    onLanguage: (language: MessageLanguage) => void,
  ): Promise<AnyContext> {
    const { lock, authenticator, config, proof, license } = this.#services;
    if (lock.isLocked && !call.whileLocked)
      throw new Fault('LifetimeCodeRequired', 'The server has no administrator.');
    requireSameOrigin(request, config.publicUrl);
    const principal = await identify(request, authenticator);
    audit.login = principal?.user.login ?? null;
    audit.isSignedIn = principal !== undefined;
    const language = this.#languageOf(request, principal?.user.language);
    onLanguage(language);
    requireAudience(call, principal);
    const params = check(name, call.params, decoded(call.params, request.params), language);
    // Before the rest is validated: an unauthorised caller gets no explanation of further errors.
    const stream = await this.#streamOf(call, principal, params);
    if (principal) proof.requireFor(call, principal);
    const query = check(name, call.query, decoded(call.query, request.query), language);
    // Parsed only now: a caller who may not make the call costs no parsing.
    if (call.body) noteBody(audit, name, call, bodyOf(request));
    const body = check(name, call.body, bodyOf(request), language);
    if (call.needsLicense) license.requireValid();
    return {
      params,
      query,
      body,
      principal,
      stream,
      language,
      ip: callerIp(request),
      get signal() {
        return goneSignal(reply);
      },
      audit,
      request,
      reply,
    } as unknown as AnyContext;
  }

  /** The stream that the path names, when the caller has the right that the call requires. */
  async #streamOf(
    call: Call,
    principal: Principal | undefined,
    params: unknown,
  ): Promise<SeenStream | undefined> {
    if (!call.stream || !principal) return undefined;
    const { uid } = params as { uid: string };
    return requireStream(this.#services.store.streamList, principal, uid, call.stream);
  }

  /** By the profile, then the configuration, then the browser [R1.4]. */
  #languageOf(request: FastifyRequest, ofUser: MessageLanguage | undefined): MessageLanguage {
    return ofUser ?? languageOfVisitor(request, this.#services.config);
  }

  #fail(name: CallName, error: unknown, request: FastifyRequest): Fault {
    const fault = faultOf(error);
    logFault(this.#services.log, fault, { call: name, method: request.method, url: request.url });
    return fault;
  }

  /**
   * A body that fails while it is sent can only be cut short: the log says why, because the reader sees no more
   * than that.
   */
  #sendMedia(name: CallName, reply: FastifyReply, answer: MediaAnswer): FastifyReply {
    void reply.header('cache-control', 'no-store');
    for (const [key, value] of Object.entries(answer.headers ?? {})) void reply.header(key, value);
    const { body } = answer;
    if (body instanceof Readable) {
      body.once('error', (error) =>
        this.#services.log.warn({ err: error, call: name }, 'A response was cut short'),
      );
    }
    return reply
      .code(answer.status ?? 200)
      .type(answer.contentType)
      .send(body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body);
  }

  #noteIfDue(name: CallName, call: Call, caller: { ip: string }, audit: AuditNote, outcome: string): void {
    // Anonymous calls are noise, not history: strangers could fill the disk with them.
    if (outcome === 'LifetimeCodeRequired' || outcome === 'AuthorizationRequired') return;
    if (routes[name].method !== 'GET' || call.audited) this.#note(name, { ip: caller.ip, audit }, outcome);
  }

  #note(name: CallName, context: { ip: string; audit: AuditNote }, outcome: string): void {
    const { login, target, details, isSignedIn } = context.audit;
    const event = { login, ip: context.ip, action: name, target, outcome, details };
    // A caller who has just signed in, or set a new password, counts as a user too; other anonymous callers
    // could fill the log.
    const isPerson = isSignedIn || (outcome === 'ok' && login !== null);
    if (isPerson) this.#services.audit.add(event);
    else this.#services.audit.count(event);
  }
}

function pathOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/**
 * A call open to anyone accepts the size of a form; only those that accept long lists accept more than a long
 * form.
 */
function bodyLimitOf(call: Call): number {
  if (call.who === 'anyone') return limits.openBodyMaxBytes;
  return call.takesLongLists ? limits.bodyMaxBytes : limits.usualBodyMaxBytes;
}

/** A missing body counts as empty; `null` is a body, and not an object. */
function bodyOf(request: FastifyRequest): unknown {
  if (request.body instanceof Uint8Array) request.body = { value: readJson(request.body) };
  return request.body === undefined ? {} : (request.body as { readonly value: unknown }).value;
}

/** What a call was about, as far as its address shows. */
function newNote(request: FastifyRequest): AuditNote {
  const params = request.params as Record<string, string>;
  const target = params['uid'] ?? params['login'] ?? params['id'] ?? null;
  return { login: null, target, details: {}, isSignedIn: false };
}

/** What a call was about, as far as its body shows: members are noted by name, never by value. */
function noteBody(audit: AuditNote, name: CallName, call: Call, body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  if ('uid' in body && typeof body.uid === 'string') audit.target ??= body.uid.slice(0, 64);
  const members = name === 'signIn' ? [] : declaredMembers(call, body);
  if (members.length > 0) audit.details = { members };
}

/** Names that callers invent are left out: they may be as long as a body, with any content. */
function declaredMembers({ body: schema }: Call, body: object): string[] {
  const shape = (schema as Partial<z.ZodObject> | undefined)?.shape ?? {};
  return Object.keys(shape).filter((member) => Object.hasOwn(body, member));
}

function decoded(schema: z.ZodObject | undefined, raw: unknown): unknown {
  return schema ? decodeText(schema, raw as Record<string, unknown>) : undefined;
}

function check(
  name: CallName,
  schema: z.ZodType | undefined,
  value: unknown,
  language: MessageLanguage,
): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(worthJudging(schema, value), { error: wordings[language] });
  if (!result.success) throw validationFault(name, result.error, language);
  return result.data;
}

/** Only what the schema declares leaves the server. */
function encode(name: CallName, schema: z.ZodType, answer: AnswerOf<CallName>): string {
  const result = schema.safeParse(answer);
  if (!result.success) {
    throw new Fault('ResponseEncodeError', `The answer of ${name} breaks its schema.`, {
      cause: result.error,
    });
  }
  return JSON.stringify(result.data);
}

function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(json);
}

const goneSignals = new WeakMap<FastifyReply, AbortSignal>();

function goneSignal(reply: FastifyReply): AbortSignal {
  let signal = goneSignals.get(reply);
  if (!signal) {
    const controller = new AbortController();
    signal = controller.signal;
    goneSignals.set(reply, signal);
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) controller.abort(new Fault('BadRequest', 'The caller went away.'));
    });
  }
  return signal;
}
