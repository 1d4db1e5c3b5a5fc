import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { calls } from '@vidette/contract/calls';
import type { Call } from '@vidette/contract/call';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { CallName } from '@vidette/contract/routes';
import { requireAudience } from '../access/audience-policy.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { PasswordProof } from '../access/password-proof.ts';
import type { Principal } from '../access/principal.ts';
import { requireStream } from '../access/stream-policy.ts';
import { Fault } from '../base/fault.ts';
import type { Config } from '../config/schema.ts';
import type { Store } from '../store/store.ts';
import type { SeenStream } from '../store/stream-list.ts';
import type { AuditNote } from '../system/audit-event.ts';
import type { LicenseService } from '../system/license.ts';
import type { Lock } from '../system/lock.ts';
import type { CallContext } from './call-context.ts';
import { callerIp, identify } from './credentials.ts';
import { validationFault, wordings } from './field-errors.ts';
import { readJson } from './json-body.ts';
import { worthJudging } from './judged.ts';
import { languageOfVisitor } from './language.ts';
import { requireSameOrigin } from './origin.ts';
import { decodeText } from './query-decode.ts';

export interface CallChecksOptions {
  readonly config: Pick<Config, 'publicUrl' | 'app'>;
  readonly store: Pick<Store, 'streamList'>;
  readonly authenticator: Authenticator;
  readonly proof: Pick<PasswordProof, 'requireFor'>;
  readonly lock: Pick<Lock, 'isLocked'>;
  readonly license: Pick<LicenseService, 'requireValid' | 'requireFeature' | 'requireEnterprise'>;
}

/** A request while it is being checked. */
export interface CheckedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly audit: AuditNote;
  /** Undefined until the caller is authenticated. */
  language: MessageLanguage | undefined;
}

/** Runs every check that a call declares, before its handler. */
export class CallChecks {
  readonly #options: CallChecksOptions;

  constructor(options: CallChecksOptions) {
    this.#options = options;
  }

  /** A request on which no check has run yet. */
  begin(request: FastifyRequest, reply: FastifyReply): CheckedRequest {
    return { request, reply, audit: newNote(request), language: undefined };
  }

  /**
   * Every check that may refuse a call, in order: setup, origin, caller, stream, input, license.
   * @throws Fault of the first check that fails
   */
  async pass(name: CallName, checked: CheckedRequest): Promise<CallContext<CallName>> {
    const { lock, authenticator, config, proof, license } = this.#options;
    const { request, reply, audit } = checked;
    const call: Call = calls[name];
    if (lock.isLocked && !call.whileLocked)
      throw new Fault('LifetimeCodeRequired', 'The server has no administrator.');
    requireSameOrigin(request, config.publicUrl);
    const principal = await identify(request, authenticator);
    audit.login = principal?.user.login ?? null;
    audit.isSignedIn = principal !== undefined;
    audit.isMachine = principal?.by.kind === 'token';
    checked.language = principal?.user.language;
    const language = this.languageOf(checked);
    requireAudience(call, principal);
    const params = check(name, call.params, decoded(call.params, request.params), language);
    // Before the rest is validated: an unauthorised caller gets no explanation of further errors.
    const stream = await this.#streamOf(call, principal, params);
    // After the call it may have been deleted or renamed.
    audit.targetName = stream?.stream.name ?? null;
    if (principal) proof.requireFor(call, principal);
    const query = check(name, call.query, decoded(call.query, request.query), language);
    if (call.audited && query) audit.details = { ...query };
    // Parsed only now: a caller who may not make the call costs no parsing.
    if (call.body) noteBody(audit, name, call, bodyOf(request));
    const body = check(name, call.body, bodyOf(request), language);
    requireLicense(call, license);
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
    } as unknown as CallContext<CallName>;
  }

  /** The stream that the path names, when the caller has the right that the call requires. */
  async #streamOf(
    call: Call,
    principal: Principal | undefined,
    params: unknown,
  ): Promise<SeenStream | undefined> {
    if (!call.stream || !principal) return undefined;
    const { uid } = params as { uid: string };
    return requireStream(this.#options.store.streamList, principal, uid, call.stream);
  }

  /** The language of the reply: from the profile, else the configuration, else the browser [R1.4]. */
  languageOf({ request, language }: CheckedRequest): MessageLanguage {
    return language ?? languageOfVisitor(request, this.#options.config);
  }
}

/** @throws Fault LicenseExpired, FeatureNotFound or EnterpriseOnly for what the license does not cover */
function requireLicense(call: Call, license: CallChecksOptions['license']): void {
  if (call.needsLicense) license.requireValid();
  if (call.needsFeature) license.requireFeature(call.needsFeature);
  if (call.needsEnterprise) license.requireEnterprise(call.needsEnterprise);
}

/** A missing body counts as an empty object; `null` is a body, but not an object. */
function bodyOf(request: FastifyRequest): unknown {
  if (request.body instanceof Uint8Array) request.body = { value: readJson(request.body) };
  return request.body === undefined ? {} : (request.body as { readonly value: unknown }).value;
}

/** The subject of a call, as far as its address shows. */
function newNote(request: FastifyRequest): AuditNote {
  const params = request.params as Record<string, string>;
  const target = params['uid'] ?? params['login'] ?? params['id'] ?? null;
  return { login: null, target, targetName: null, details: {}, isSignedIn: false, isMachine: false };
}

/** The subject of a call, as far as its body shows: members are recorded by name, never by value. */
function noteBody(audit: AuditNote, name: CallName, call: Call, body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  const { [call.targetMember ?? 'uid']: target } = body as Readonly<Record<string, unknown>>;
  if (typeof target === 'string') audit.target ??= target.slice(0, 64);
  const members = name === 'signIn' ? [] : declaredMembers(call, body);
  if (members.length > 0) audit.details = { members };
}

/** Names that callers invent are left out: they may be as long as a body and have any content. */
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

const goneSignals = new WeakMap<FastifyReply, AbortSignal>();

function goneSignal(reply: FastifyReply): AbortSignal {
  let signal = goneSignals.get(reply);
  if (!signal) {
    const controller = new AbortController();
    signal = controller.signal;
    goneSignals.set(reply, signal);
    const leave = () => {
      if (!reply.raw.writableFinished) controller.abort(new Fault('BadRequest', 'The caller disconnected.'));
    };
    // They may have left before the signal was asked for.
    if (reply.raw.destroyed) leave();
    else reply.raw.once('close', leave);
  }
  return signal;
}
