import type { MessageLanguage } from '@vidette/contract/errors';
import type { NumberedEvent } from './event-hub.ts';
import type { EventViewer, RenderedEvent } from './event-subscription.ts';

type Render = (viewer: EventViewer, event: NumberedEvent) => Promise<RenderedEvent | undefined>;

/**
 * Administrators see the same of most events: the newest is rendered once for all of them who read the same language. Everyone
 * else's rights are asked for each connection, because they may change between two of them.
 */
export class SharedRenders {
  readonly #render: Render;
  readonly #common = new Map<MessageLanguage, Promise<RenderedEvent | undefined>>();
  #newest: NumberedEvent | undefined;

  constructor(render: Render) {
    this.#render = render;
  }

  async render(viewer: EventViewer, event: NumberedEvent): Promise<RenderedEvent | undefined> {
    const isCommon = viewer.principal.isAdmin && viewer.uids === undefined && !('userId' in event.event);
    if (!isCommon) return this.#render(viewer, event);
    const common = await this.#ofAll(viewer, event);
    return isWhole(common, event) ? common : this.#render(viewer, event);
  }

  #ofAll(viewer: EventViewer, event: NumberedEvent): Promise<RenderedEvent | undefined> {
    if (this.#newest !== event) this.#common.clear();
    this.#newest = event;
    const { language, principal } = viewer;
    const known = this.#common.get(language);
    if (known) return known;
    const ownsNothing = { ...principal, user: { ...principal.user, id: noUserId } };
    const made = this.#render({ ...viewer, principal: ownsNothing }, event);
    this.#common.set(language, made);
    // Connections that wait for it get the error; the next one tries again.
    made.catch(() => {
      if (this.#common.get(language) === made) this.#common.delete(language);
    });
    return made;
  }
}

/** No user has it: nothing is owned by it. */
const noUserId = 0;

/** Entries that are missing belong to one user, or are gone. */
function isWhole(common: RenderedEvent | undefined, { event }: NumberedEvent): boolean {
  if (event.type !== 'journal') return true;
  return common?.name === 'journal' && common.data.items.length === new Set(event.ids).size;
}
