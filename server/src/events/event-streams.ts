import type { Readable } from 'node:stream';
import { eventLimits } from '@vidette/contract/constants';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { Authenticator } from '../access/authenticator.ts';
import type { Principal } from '../access/principal.ts';
import { viewerOf } from '../access/stream-policy.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../store/store.ts';
import type { EventHub, NumberedEvent } from './event-hub.ts';
import { EventSubscription, type EventViewer, type RenderedEvent } from './event-subscription.ts';

export interface EventStreamsOptions {
  readonly hub: EventHub;
  readonly store: Pick<Store, 'users' | 'streamList'>;
  readonly authenticator: Pick<Authenticator, 'validUntilMs' | 'onAccessChange'>;
  /** Called before a user's connection is told anything. */
  readonly prepare: (userId: number) => Promise<void>;
  readonly render: (viewer: EventViewer, event: NumberedEvent) => Promise<RenderedEvent | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A session or token that expires ends its connections within this time. */
const reviewMs = 30_000;
/** How often it is written that users have the page open. */
const presenceMs = 60_000;

/** The connections of clients that follow what changes. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #open = new Map<EventSubscription, Principal>();
  readonly #cancels: readonly Cancel[];
  /** Changes of rights can't be followed: no connection is served. */
  #isBlind = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    const { authenticator, clock, hub } = options;
    this.#cancels = [
      authenticator.onAccessChange(({ userId }) => {
        if (userId === undefined) this.#isBlind = false;
        this.#noteAccess(userId);
      }),
      clock.every(eventLimits.aliveMs, () => {
        for (const one of this.#open.keys()) one.keepAlive();
      }),
      clock.every(reviewMs, () => this.reviewAll()),
      clock.every(presenceMs, () => void this.#notePresence()),
      hub.subscribe((event) => {
        // Who may view which stream may have changed with the lists.
        if (event.event.type === 'streams') this.reviewAll();
        for (const one of this.#open.keys()) one.take(event);
      }),
    ];
  }

  /** Users with a connection. */
  get userIds(): ReadonlySet<number> {
    return new Set(Array.from(this.#open.values(), ({ user }) => user.id));
  }

  /**
   * The events from now on, or after the one with the given id, as the body of a response.
   * @throws Fault TooManyRequests, Unavailable while changes of rights can't be followed
   */
  follow(principal: Principal, language: MessageLanguage, lastEventId: string | undefined): Readable {
    const { hub, render, prepare, clock, log } = this.#options;
    let isPrepared = false;
    const userId = principal.user.id;
    if (this.#isBlind) throw new Fault('Unavailable', 'The database does not answer this node.');
    const ofUser = [...this.#open.values()].filter(({ user }) => user.id === userId).length;
    if (ofUser >= eventLimits.perUser)
      throw new Fault('TooManyRequests', 'The user follows the events on too many connections.');
    const options = {
      readViewer: async () => {
        if (!isPrepared) await prepare(userId);
        isPrepared = true;
        return this.#viewerOf(principal, language);
      },
      render,
      idText: (id: number) => hub.textOf(id),
      nowMs: () => clock.monotonicMs(),
      onEnd: () => this.#open.delete(subscription),
      onError: (error: unknown) => {
        const isAway = error instanceof Fault && error.code === 'Unavailable';
        if (!isAway) log.error({ err: error }, 'A client could not be told what changed; it will reload');
      },
    };
    const subscription: EventSubscription = new EventSubscription(
      options,
      hub.since(lastEventId),
      hub.lastId,
    );
    this.#open.set(subscription, principal);
    return subscription.body;
  }

  /** Rights may have changed: they are read again before anything else is sent. */
  reviewAll(): void {
    for (const one of this.#open.keys()) one.doubt();
  }

  /** Changes of rights can't be followed: every connection ends. */
  endAll(): void {
    this.#isBlind = true;
    for (const one of this.#open.keys()) one.end();
  }

  close(): void {
    for (const cancel of this.#cancels) cancel();
    for (const one of this.#open.keys()) one.end();
  }

  #noteAccess(userId: number | undefined): void {
    const affected = new Set<number>();
    for (const [one, { user }] of this.#open) {
      const { id } = user;
      if (userId !== undefined && id !== userId) continue;
      one.doubt();
      affected.add(id);
    }
    for (const id of affected) this.#options.hub.publish({ type: 'account', userId: id });
  }

  /** A user with an open page is present, on which rules depend; a program with an API token is not. */
  async #notePresence(): Promise<void> {
    const { store, clock, log } = this.#options;
    const inSession = [...this.#open.values()].filter(({ by }) => by.kind === 'session');
    try {
      for (const id of new Set(inSession.map(({ user }) => user.id))) {
        await store.users.touch(id, clock.wallMs());
      }
    } catch (error) {
      // Repeated with the next turn.
      log.warn({ err: error }, 'The presence of users could not be written');
    }
  }

  async #viewerOf(principal: Principal, language: MessageLanguage): Promise<EventViewer | undefined> {
    const { store, authenticator } = this.#options;
    if ((await authenticator.validUntilMs(principal)) === undefined) return undefined;
    const user = await store.users.byId(principal.user.id);
    if (!user || user.mustChangePassword) return undefined;
    const now = { ...principal, user, isAdmin: user.isAdmin };
    return { principal: now, language, uids: await store.streamList.viewableUids(viewerOf(now)) };
  }
}
