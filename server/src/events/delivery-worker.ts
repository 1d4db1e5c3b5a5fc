import type { TargetSettings } from '@vidette/contract/notifications';
import { backoffMs, scatteredMs } from '../base/backoff.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { DeliveryTarget } from '../store/notification-targets.ts';
import type { Delivery } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import type { WriteWatch } from '../store/write-watch.ts';
import {
  retryAfterMaxMs,
  type Channel,
  type DeliveryResult,
  type Message,
  type Recipient,
} from './channel.ts';

type Channels = Readonly<Record<TargetSettings['type'], Channel>>;

/** Messages that a target did not accept, and why. */
interface Refused {
  readonly messages: readonly Message[];
  readonly result: Extract<DeliveryResult, { isAccepted: false }>;
}

export interface DeliveryWorkerOptions {
  readonly store: Pick<Store, 'outbox' | 'notificationTargets' | 'rules' | 'users'>;
  readonly channels: Channels;
  readonly clock: Clock;
  readonly log: Log;
  /** Of this node: only one node at a time sends to a target. */
  readonly node: string;
  /** Whether the queue can have changed. Undefined: it always can. */
  readonly writes?: Pick<WriteWatch, 'isQuiet' | 'noteUnread'> | undefined;
}

/** Interval of the search for due notifications; those that this process wrote are sent immediately. */
const searchEveryMs = 1_000;
const trimEveryMs = 60_000;
/** How soon what a channel holds back is looked at again. */
const heldMs = 60_000;
/** A delivery takes a minute at most: a lease of this age is extended before the next one. */
const extendEveryMs = 30_000;
const leaseMs = 120_000;
const pauses = { firstMs: 2_000, longestMs: 600_000 };
/** Refusals after which a notification is given up, so that it doesn't hold up those behind it. */
const refusalsMax = 8;
/** Targets to which this process sends simultaneously. */
const concurrency = 64;
/** Notifications that are read together for a channel that sends them one by one. */
const readMax = 16;
/**
 * How long what was read counts: target, recipient and rights are read again after that, so that a right that is withdrawn ends
 * the notifications that wait for a slow target, ms.
 */
const readValidMs = 250;
/** What is older is given up. */
const deliveryAgeMaxMs = 72 * 3_600_000;
/** Notifications in the queue of a target. */
const queuedMax = 100_000;

/**
 * Sends the notifications of the outbox: to each target in their order, to different targets independently. A failed
 * delivery is repeated after growing pauses, in which nothing else is sent to that target. Whatever happens between two
 * steps, a notification is sent at least once, with the same key each time.
 */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #slots = new Semaphore(concurrency);
  /** Targets to which this process is sending, or about to send. */
  readonly #busy = new Map<number, Promise<void>>();
  #cancels: Cancel[] = [];
  #searching: Promise<void> | undefined;
  #isWanted = false;
  /** At the last search, notifications were queued. */
  #hasQueued = true;
  #isClosed = false;

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, writes } = this.#options;
    this.#cancels = [
      clock.every(searchEveryMs, () => {
        const isQuiet = writes?.isQuiet() === true;
        if (!isQuiet || this.#hasQueued) this.wake();
      }),
      clock.every(trimEveryMs, () => void this.#trim()),
    ];
    this.wake();
  }

  /** To be called when there may be something to send. */
  wake(): void {
    this.#isWanted = true;
    this.#searching ??= this.#search().finally(() => {
      this.#searching = undefined;
      // Woken after the search had looked for the last time.
      if (this.#isWanted && !this.#isClosed) this.wake();
    });
  }

  /** Starts no further delivery; resolves when the running ones have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel();
    await this.#searching;
    await Promise.all(this.#busy.values());
  }

  /** Sends a test now, past the queue; undefined for a target or owner that no longer exists. */
  async test(target: DeliveryTarget): Promise<DeliveryResult | undefined> {
    const recipient = await this.#recipientOf(target);
    const result = recipient && (await this.#options.channels[target.settings.type].test(target, recipient));
    if (result?.isAccepted === false && result.isGone) await this.#removeGone(target);
    return result;
  }

  async #search(): Promise<void> {
    const { store, clock, node, log, writes } = this.#options;
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      try {
        const due = await store.notificationTargets.due(clock.wallMs(), retryAfterMaxMs, node);
        for (const id of due) if (!this.#busy.has(id)) this.#begin(id);
        if (writes) this.#hasQueued = !(await store.outbox.isEmpty());
      } catch (error) {
        // The next search repeats it.
        writes?.noteUnread();
        log.warn({ err: error }, 'The queue of notifications could not be read');
      }
    }
  }

  #begin(id: number): void {
    const work = this.#slots
      .run(() => this.#drain(id))
      .catch((error: unknown) => {
        this.#options.log.warn(
          { err: error, target: id },
          'Notifications could not be sent; they stay in the queue',
        );
      })
      .finally(() => this.#busy.delete(id));
    this.#busy.set(id, work);
  }

  /** Sends until the queue of the target is empty, or must wait. */
  async #drain(id: number): Promise<void> {
    const { store, clock, node } = this.#options;
    let claimedMs = -Infinity;
    try {
      do {
        const nowMs = clock.wallMs();
        if (this.#isClosed) return;
        if (Math.abs(nowMs - claimedMs) >= extendEveryMs) {
          if (!(await store.notificationTargets.claim(id, node, nowMs, nowMs + leaseMs))) return;
          claimedMs = nowMs;
        }
      } while (await this.#deliver(id));
    } finally {
      await store.notificationTargets.release(id, node);
    }
  }

  /** Some deliveries; false when the target has nothing to send now. */
  async #deliver(id: number): Promise<boolean> {
    const { store, channels, clock } = this.#options;
    const target = await store.notificationTargets.deliveryTarget(id);
    const recipient = target && (await this.#recipientOf(target));
    if (!target || !recipient) return false;
    const channel = channels[target.settings.type];
    if (channel.holds?.(target, clock.wallMs())) {
      await store.notificationTargets.note(id, { retryMs: clock.wallMs() + heldMs });
      return false;
    }
    // After a failure one notification shows whether the target works again.
    const readMs = clock.monotonicMs();
    const count = channel.batchMax === 1 && channel.pauseMs === 0 ? readMax : channel.batchMax;
    const queued = await store.outbox.next(id, target.failures === 0 ? count : 1);
    if (queued.length === 0) return false;
    const messages = await this.#visible(target, queued);
    const accepted: Message[] = [];
    let refused: Refused | undefined;
    for (let from = 0; from < messages.length && !refused; from += channel.batchMax) {
      if (from > 0 && (this.#isClosed || clock.monotonicMs() - readMs >= readValidMs)) break;
      const some = messages.slice(from, from + channel.batchMax);
      const result = await channel.send(target, recipient, some);
      if (result.isAccepted) accepted.push(...some);
      else refused = { messages: some, result };
    }
    await this.#noteAccepted(id, accepted, channel.pauseMs);
    if (refused) await this.#noteRefused(target, refused);
    return !refused && (messages.length === 0 || channel.pauseMs === 0);
  }

  /** They leave the queue together: after a kill before that they are sent again, with the same keys. */
  async #noteAccepted(id: number, accepted: readonly Message[], pauseMs: number): Promise<void> {
    if (accepted.length === 0) return;
    const { store, clock } = this.#options;
    const acceptedMs = clock.wallMs();
    const retryMs = pauseMs === 0 ? 0 : acceptedMs + pauseMs;
    const ids = accepted.map(({ delivery }) => delivery.id);
    const state = { acceptedMs, failingMs: null, failures: 0, failure: null, retryMs };
    await store.outbox.accept(id, ids, state);
  }

  async #noteRefused(target: DeliveryTarget, { messages, result }: Refused): Promise<void> {
    if (result.isGone) await this.#removeGone(target);
    else await this.#noteFailure(target, messages, result);
  }

  /** What the owner may see at this moment; the rest is removed, and so is what is too old. */
  async #visible(target: DeliveryTarget, queued: readonly Delivery[]): Promise<Message[]> {
    const { outbox, rules } = this.#options.store;
    const oldestMs = this.#options.clock.wallMs() - deliveryAgeMaxMs;
    const uids = [...new Set(queued.flatMap(({ payload }) => payload.event.stream ?? []))];
    const streams = await rules.streams(uids);
    const entries = queued.map(({ payload }) => payload.event.id);
    const visible = await rules.visible(target.userId, entries);
    const messages: Message[] = [];
    const dropped: number[] = [];
    for (const delivery of queued) {
      const { stream, id } = delivery.payload.event;
      if (!visible.has(id) || delivery.createdMs < oldestMs) dropped.push(delivery.id);
      else
        messages.push({ delivery, streamName: stream === null ? null : (streams.get(stream)?.name ?? null) });
    }
    await outbox.drop(target.id, dropped);
    return messages;
  }

  async #noteFailure(
    target: DeliveryTarget,
    messages: readonly Message[],
    { failure, isRefusal, retryAfterMs = 0 }: Refused['result'],
  ): Promise<void> {
    const { store, clock, log } = this.#options;
    const nowMs = clock.wallMs();
    const failures = target.failures + 1;
    const pauseMs = Math.max(scatteredMs(backoffMs(failures, pauses), clock), retryAfterMs);
    if (isRefusal) {
      const isLast = ({ delivery }: Message) => delivery.refusals + 1 >= refusalsMax;
      const ids = messages.map(({ delivery }) => delivery.id);
      if (messages.some(isLast)) await store.outbox.drop(target.id, ids);
      else await store.outbox.noteRefusal(ids);
    }
    const failingMs = target.failingMs ?? nowMs;
    await store.notificationTargets.note(target.id, {
      failure,
      failures,
      failingMs,
      retryMs: nowMs + pauseMs,
    });
    if (failures === 1) log.warn({ target: target.id, ...failure }, 'A target does not accept notifications');
  }

  async #removeGone({ id }: DeliveryTarget): Promise<void> {
    this.#options.log.info(
      { target: id },
      'A browser no longer receives notifications; its target was removed',
    );
    await this.#options.store.notificationTargets.remove(id);
  }

  async #recipientOf({ userId }: DeliveryTarget): Promise<Recipient | undefined> {
    const user = await this.#options.store.users.byId(userId);
    return user && { login: user.login, language: user.language, isAdmin: user.isAdmin && !user.isBlocked };
  }

  async #trim(): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      const dropped = await store.outbox.trim(clock.wallMs() - deliveryAgeMaxMs, queuedMax);
      if (dropped > 0) log.warn({ dropped }, 'Notifications that could not be delivered were given up');
    } catch (error) {
      // Repeated with the next turn.
      log.warn({ err: error }, 'The queue of notifications could not be trimmed');
    }
  }
}
