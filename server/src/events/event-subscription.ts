import { Readable } from 'node:stream';
import type { ServerEventName, ServerEvents } from '@vidette/contract/events';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { JournalKind } from '@vidette/contract/journal';
import type { Principal } from '../access/principal.ts';
import type { NumberedEvent } from './event-hub.ts';
import { WarningNotice } from './warning-notice.ts';

/** What a client may see now; read again whenever that may have changed. */
export interface EventViewer {
  readonly principal: Principal;
  readonly language: MessageLanguage;
  /** Streams that may be viewed; undefined: all. */
  readonly uids: ReadonlySet<string> | undefined;
}

/** An event as a client gets it. */
export type RenderedEvent = {
  readonly [Name in ServerEventName]: { readonly name: Name; readonly data: ServerEvents[Name] };
}[ServerEventName];

export interface SubscriptionOptions {
  /** The client's rights as the database knows them now; undefined: it may no longer be served. */
  readonly readViewer: () => Promise<EventViewer | undefined>;
  /**
   * What the viewer is told of an event, passing the policy of the call that would return it; undefined: not concerned. It is not
   * changed afterwards: connections may share it.
   */
  readonly render: (viewer: EventViewer, event: NumberedEvent) => Promise<RenderedEvent | undefined>;
  readonly idText: (id: number) => string;
  /** On the monotonic clock. */
  readonly nowMs: () => number;
  readonly onEnd: () => void;
  readonly onError: (error: unknown) => void;
}

/** Above this the client does not read: it is told to reload when it does. */
const highWaterBytes = 256 * 1024;
/** Events that wait to be rendered. */
const waitingMax = 200;

/** The events of one connection, in order. A right that is withdrawn applies to every event that is written afterwards. */
export class EventSubscription {
  readonly body: Readable;
  readonly #options: SubscriptionOptions;
  readonly #warnings: WarningNotice;
  #viewer: EventViewer | undefined;
  #waiting: NumberedEvent[] = [];
  #isWorking = false;
  /** Events were left out: what the client has read before is out of date. */
  #isBehind: boolean;
  #lastId: number;
  #isEnded = false;

  /** Continues with `missed`; undefined: the client has to reload. */
  constructor(options: SubscriptionOptions, missed: readonly NumberedEvent[] | undefined, lastId: number) {
    this.#options = options;
    // A notice has no id: whether it was told before the connection broke is unknown.
    this.#warnings = new WarningNotice(options.nowMs(), missed !== undefined);
    this.#isBehind = missed === undefined;
    this.#lastId = lastId;
    this.#waiting = [...(missed ?? [])];
    this.body = new Readable({
      highWaterMark: highWaterBytes,
      read: () => {
        if (this.#isBehind) void this.#work();
      },
      destroy: (error, done) => {
        this.#end();
        done(error);
      },
    });
    void this.#work();
  }

  /** The client's rights may have changed: nothing is written before they are read again. */
  doubt(): void {
    this.#viewer = undefined;
    void this.#work();
  }

  take(event: NumberedEvent): void {
    if (this.#isEnded) return;
    this.#waiting.push(event);
    if (this.#waiting.length > waitingMax) this.#fallBehind();
    void this.#work();
  }

  /** Tells what is due, or a comment, by which the client knows that the connection works. */
  keepAlive(): void {
    if (this.#isEnded || this.body.readableLength > 0 || this.#tellWarnings()) return;
    this.body.push(comment);
  }

  end(): void {
    if (!this.#isEnded) this.body.push(null);
    this.#end();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting = [];
    this.#options.onEnd();
  }

  #fallBehind(): void {
    this.#isBehind = true;
    this.#lastId = this.#waiting.at(-1)?.id ?? this.#lastId;
    this.#waiting = [];
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      while (!this.#isEnded && (!this.#viewer || this.#waiting.length > 0 || this.#isBehind)) {
        if (!(await this.#step())) return;
      }
    } catch (error) {
      this.#options.onError(error);
      this.body.destroy();
    } finally {
      this.#isWorking = false;
    }
  }

  /** False: the client must read first, or has ended. */
  async #step(): Promise<boolean> {
    const { readViewer, render } = this.#options;
    if (!this.#viewer) {
      // Whatever is doubted meanwhile is read again.
      const token = (this.#viewer = pendingViewer());
      const viewer = await readViewer();
      if (!viewer) {
        this.end();
        return false;
      }
      if (this.#viewer === token) this.#viewer = viewer;
      return true;
    }
    if (this.body.readableLength > highWaterBytes) {
      this.#fallBehind();
      return false;
    }
    if (this.#isBehind) {
      this.#isBehind = false;
      this.#write(reload, this.#lastId);
      return true;
    }
    const [next] = this.#waiting;
    if (!next) return true;
    const viewer = this.#viewer;
    const rendered = await render(viewer, next);
    // The right may have gone while the event was rendered.
    if (this.#viewer !== viewer) return true;
    if (this.#waiting[0] === next) this.#waiting.shift();
    if (rendered) this.#write(rendered, next.id);
    return true;
  }

  #write(event: RenderedEvent, id: number): void {
    if (this.#isEnded) return;
    this.#lastId = id;
    this.body.push(`id: ${this.#options.idText(id)}\n${textOf(event)}\n`);
    if (event.name !== 'journal' || !event.data.items.some(({ kind }) => warningKinds.has(kind))) return;
    this.#warnings.note();
    this.#tellWarnings();
  }

  #tellWarnings(): boolean {
    const isDue = this.#warnings.take(this.#options.nowMs());
    if (isDue) this.body.push(`${textOf(ofStreams)}\n`);
    return isDue;
  }
}

/** Kinds of entries from which warnings about streams follow. */
const warningKinds: ReadonlySet<JournalKind> = new Set(['stream-down', 'recording-stopped']);
const ofStreams: RenderedEvent = { name: 'health', data: { ofStreams: true } };
const reload: RenderedEvent = { name: 'reload', data: {} };
const comment = Buffer.from(':\n\n');
/** What was rendered for several connections is made text once. */
const texts = new WeakMap<RenderedEvent, string>();

function textOf(event: RenderedEvent): string {
  let text = texts.get(event);
  if (text === undefined) {
    text = `event: ${event.name}\ndata: ${JSON.stringify(event.data)}\n`;
    texts.set(event, text);
  }
  return text;
}

/** Used until the database has answered. */
function pendingViewer(): EventViewer {
  return {} as EventViewer;
}
