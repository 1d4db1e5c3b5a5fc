import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import { limits } from '@vidette/contract/constants';
import type { NotificationTarget, TargetSettings } from '@vidette/contract/notifications';
import type { Principal } from '../access/principal.ts';
import { mayUseLoopback } from '../access/stream-policy.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { fieldFault } from '../base/field-fault.ts';
import { requireKnownZone } from '../base/known-zone.ts';
import { Semaphore } from '../base/semaphore.ts';
import { requireUnchanged } from '../base/unchanged.ts';
import { forbiddenNetwork } from '../dial/address-policy.ts';
import type { TargetChanges, TargetRecord } from '../store/notification-targets.ts';
import type { Store } from '../store/store.ts';
import { changesBetween } from '../system/audit-changes.ts';
import type { AuditNote } from '../system/audit-event.ts';
import type { DeliveryWorker } from './delivery-worker.ts';
import { requireOwn } from './own-record.ts';
import { isPushPoint, type PushKeys } from './push-keys.ts';
import { newWebhookSecret } from './webhook-request.ts';

type TargetToAdd = z.output<Calls['addTarget']['body']>;
type PushRenewal = z.output<Calls['renewPushDevice']['body']>;
type TargetToSave = z.output<Calls['saveTarget']['body']>;
type TestResult = z.output<Calls['testTarget']['reply']>;
type TargetWithSecret = NotificationTarget & { readonly secret: string | null };

export interface TargetServiceOptions {
  readonly store: Pick<Store, 'notificationTargets' | 'users'>;
  readonly deliveries: Pick<DeliveryWorker, 'test' | 'wake'>;
  readonly clock: Clock;
  readonly pushKeys: PushKeys;
}

/** Tests of one target follow each other at this interval at least. */
const testEveryMs = 3_000;

/** Where a user's rules send notifications. Each user sees and changes only their own. */
export class TargetService {
  readonly #options: TargetServiceOptions;
  /** One after the other: simultaneous ones would all find room. */
  readonly #adding = new Semaphore(1);
  /** Monotonic time of the last test of each target, ms; at most one entry per target. */
  readonly #testedMs = new Map<number, number>();

  constructor(options: TargetServiceOptions) {
    this.#options = options;
  }

  async list({ user }: Principal): Promise<NotificationTarget[]> {
    return (await this.#options.store.notificationTargets.ofUser(user.id)).map(targetView);
  }

  /** What a browser needs to subscribe. */
  get publicPushKey(): string {
    return this.#options.pushKeys.publicKey;
  }

  /**
   * A browser that is a target already is replaced.
   * @throws Fault QuotaReached; Forbidden, STREAM_SOURCE_ERR, ValidationError at the field
   */
  async add(
    principal: Principal,
    { name, settings }: TargetToAdd,
    note: AuditNote,
  ): Promise<TargetWithSecret> {
    const { store, clock } = this.#options;
    const { notificationTargets } = store;
    requireAllowed(principal, settings);
    const { user, by } = principal;
    const secret = settings.type === 'webhook' ? newWebhookSecret() : null;
    const createdMs = clock.wallMs();
    const target = await this.#adding.run(async () => {
      requireRoom(await notificationTargets.ofUser(user.id), settings);
      return notificationTargets.add({
        userId: user.id,
        name,
        settings,
        createdMs,
        secret,
        sessionId: settings.type === 'push' && by.kind === 'session' ? by.id : null,
      });
    });
    note.target = String(target.id);
    note.targetName = name;
    return { ...targetView(target), secret };
  }

  /** @throws Fault NotFound, Forbidden; ValidationError, STREAM_SOURCE_ERR at the field */
  async save(
    principal: Principal,
    id: number,
    { name, settings, renewSecret, ...body }: TargetToSave,
    note: AuditNote,
  ): Promise<TargetWithSecret> {
    const old = await this.#require(principal, id);
    requireUnchanged(body, targetView(old), ['id', 'type', 'createdAt']);
    const changes: TargetChanges = {};
    if (name !== undefined) changes.name = name;
    if (settings !== undefined) {
      requireAllowed(principal, settings);
      if (settings.type !== old.settings.type) {
        throw fieldFault('ValidationError', 'settings.type', 'A target keeps its type.');
      }
      changes.settings = settings;
    }
    if (renewSecret && old.settings.type === 'webhook') changes.secret = newWebhookSecret();
    await this.#options.store.notificationTargets.save(old, changes);
    this.#options.deliveries.wake();
    const saved = targetView(await this.#require(principal, id));
    const isRenewed = changes.secret !== undefined;
    note.targetName = old.name;
    note.details = { changes: changesBetween(targetView(old), saved), ...(isRenewed && { isRenewed }) };
    return { ...saved, secret: changes.secret ?? null };
  }

  /**
   * The push service of a browser has replaced its subscription. The secret of the old one, which only the browser and this
   * server know, stands for the session, which may have expired. @throws Fault NotFound; STREAM_SOURCE_ERR, ValidationError
   * at the field
   */
  async renewDevice({ oldEndpoint, oldAuth, endpoint, keys }: PushRenewal, note: AuditNote): Promise<void> {
    const { notificationTargets, users } = this.#options.store;
    const target = await notificationTargets.byEndpoint(oldEndpoint);
    const user = target && (await users.byId(target.userId));
    const { settings } = target ?? {};
    if (settings?.type !== 'push' || !isSameSecret(settings.keys.auth, oldAuth) || !user || user.isBlocked)
      throw new Fault('NotFound', 'There is no such subscription.');
    const renewed = { ...settings, endpoint, keys };
    requirePushAllowed(user.isAdmin, renewed, '');
    note.login = user.login;
    note.target = String(target.id);
    note.targetName = target.name;
    await notificationTargets.save(target, { settings: renewed });
    this.#options.deliveries.wake();
  }

  /** @throws Fault NotFound */
  async remove(principal: Principal, id: number, note: AuditNote): Promise<void> {
    const target = await this.#require(principal, id);
    note.targetName = target.name;
    await this.#options.store.notificationTargets.remove(target.id);
    this.#testedMs.delete(id);
  }

  /** Sends a test now. @throws Fault NotFound, Forbidden, TooManyRequests */
  async test(principal: Principal, id: number, note: AuditNote): Promise<TestResult> {
    const { clock, deliveries } = this.#options;
    const target = await this.#require(principal, id);
    note.targetName = target.name;
    requireAllowed(principal, target.settings);
    const nowMs = clock.monotonicMs();
    const waitMs = (this.#testedMs.get(id) ?? -testEveryMs) + testEveryMs - nowMs;
    if (waitMs > 0) {
      const details = { retryAfterSeconds: Math.ceil(waitMs / 1_000) };
      throw new Fault('TooManyRequests', 'This target was tested just now.', { details });
    }
    this.#testedMs.set(id, nowMs);
    const result = await deliveries.test(target);
    if (!result) throw new Fault('NotFound', 'The target was deleted.');
    return { isAccepted: result.isAccepted, failure: result.isAccepted ? null : result.failure };
  }

  async #require(principal: Principal, id: number): Promise<TargetRecord> {
    return requireOwn(principal, await this.#options.store.notificationTargets.byId(id));
  }
}

/** @throws Fault QuotaReached */
function requireRoom(own: readonly TargetRecord[], added: TargetSettings): void {
  const others = own.filter(
    ({ settings }) =>
      !(settings.type === 'push' && added.type === 'push' && settings.endpoint === added.endpoint),
  );
  if (others.length >= limits.targetsMax) {
    throw new Fault('QuotaReached', `A user has at most ${limits.targetsMax} targets.`);
  }
  const devices = others.filter(({ settings }) => settings.type === 'push').length;
  if (added.type === 'push' && devices >= limits.pushDevicesMax) {
    throw new Fault('QuotaReached', `A user has at most ${limits.pushDevicesMax} browsers as targets.`);
  }
}

/**
 * A webhook reaches into the server's network, as a source does, and an MQTT message reaches everyone on the broker: only
 * users who may add streams have them. A push service is on the Internet: every user may name one, and nothing else. An
 * e-mail to other addresses would make the server a relay: only administrators enter them.
 * @throws Fault Forbidden, STREAM_SOURCE_ERR, ValidationError at the field
 */
function requireAllowed(principal: Principal, settings: TargetSettings): void {
  if (settings.type === 'webhook') {
    if (principal.isReadOnly) throw new Fault('Forbidden', 'A read-only user may not add webhooks.');
    requireReachable(settings.url, 'settings.url', {
      allowLoopback: mayUseLoopback(principal),
      isPublic: false,
    });
    return;
  }
  if (settings.type === 'push') {
    requirePushAllowed(mayUseLoopback(principal), settings, 'settings.');
    if (settings.quietHours) requireKnownZone(settings.quietHours.timeZone, 'settings.quietHours.timeZone');
    return;
  }
  if (settings.type === 'mqtt') {
    // Everyone on the broker reads it, as everyone behind a webhook does.
    if (principal.isReadOnly) throw new Fault('Forbidden', 'A read-only user may not add MQTT targets.');
    return;
  }
  const own = principal.user.email.toLowerCase();
  const other = settings.to.findIndex((address) => address.toLowerCase() !== own);
  if (other >= 0 && !principal.isAdmin) {
    throw fieldFault('Forbidden', `settings.to.${other}`, 'Only administrators may enter other addresses.');
  }
}

/** @throws Fault STREAM_SOURCE_ERR, ValidationError at the field, whose path begins with `prefix` */
function requirePushAllowed(
  allowLoopback: boolean,
  { endpoint, keys }: Pick<PushRenewal, 'endpoint' | 'keys'>,
  prefix: string,
): void {
  requireReachable(endpoint, `${prefix}endpoint`, { allowLoopback, isPublic: true });
  if (isPushPoint(keys.p256dh)) return;
  throw fieldFault('ValidationError', `${prefix}keys.p256dh`, 'This is not a point of P-256.');
}

/** In a time that does not depend on where they differ. */
function isSameSecret(own: string, given: string): boolean {
  const [a, b] = [Buffer.from(own), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A name is checked when it is resolved. @throws Fault STREAM_SOURCE_ERR at the field */
function requireReachable(
  url: string,
  field: string,
  policy: { readonly allowLoopback: boolean; readonly isPublic: boolean },
): void {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && forbiddenNetwork(host, policy) !== undefined) {
    throw fieldFault('STREAM_SOURCE_ERR', field, 'The server may not contact this address.');
  }
}

function targetView(target: TargetRecord): NotificationTarget {
  const { id, name, settings, createdMs, waiting, dropped, acceptedMs, failingMs, retryMs, failure } = target;
  return {
    id,
    name,
    type: settings.type,
    settings,
    createdAt: createdMs,
    waiting,
    dropped,
    acceptedAt: acceptedMs,
    failingSince: failingMs,
    nextAttemptAt: failingMs !== null && waiting > 0 ? retryMs : null,
    failure,
  };
}
