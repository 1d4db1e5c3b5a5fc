import type { ComponentType } from 'react';
import type { AddressName } from '../routing/addresses.ts';
import { pageVersion } from '../page/page-version.ts';
import { screenChunks, type ScreenFrame, type ScreenChunk } from './screen-chunks.ts';

/** A screen that can be rendered. */
export interface DrawableScreen {
  readonly Screen: ComponentType;
  readonly Frame: ScreenFrame | null;
}

interface Fetched {
  readonly promise: Promise<DrawableScreen>;
  /** Null until it is loaded. */
  drawable: DrawableScreen | null;
  hasFailed: boolean;
}

/** Screens that are loaded or loading. */
export class Screens {
  readonly #chunks: Readonly<Record<AddressName, ScreenChunk>>;
  readonly #loadMessages: () => Promise<void>;
  readonly #fetched = new Map<AddressName, Fetched>();

  /** `loadMessages` fetches the messages that the first screens don't need. */
  constructor(loadMessages: () => Promise<void>, chunks = screenChunks) {
    this.#loadMessages = loadMessages;
    this.#chunks = chunks;
  }

  /** Fetches a screen, retrying once; undefined when it is loaded already. */
  fetch(name: AddressName): Promise<DrawableScreen> | undefined {
    let known = this.#fetched.get(name);
    if (!known || known.hasFailed) {
      known = this.#start(name);
      this.#fetched.set(name, known);
    }
    return known.drawable ? undefined : known.promise;
  }

  /** The screen, or its promise, which stays rejected until the screen is fetched again. */
  read(name: AddressName): DrawableScreen | Promise<DrawableScreen> {
    if (!this.#fetched.has(name)) void this.fetch(name);
    const known = this.#fetched.get(name);
    if (!known) throw new Error('A screen that was just asked for is not known');
    return known.drawable ?? known.promise;
  }

  #start(name: AddressName): Fetched {
    const fetched: Fetched = { promise: this.#load(this.#chunks[name]), drawable: null, hasFailed: false };
    fetched.promise.then(
      (drawable) => {
        fetched.drawable = drawable;
      },
      () => {
        fetched.hasFailed = true;
      },
    );
    return fetched;
  }

  async #load({ screen, frame, usesFirstMessages }: ScreenChunk): Promise<DrawableScreen> {
    try {
      const [Screen, ScreenFrame] = await Promise.all([
        screen(),
        frame?.() ?? null,
        usesFirstMessages ? undefined : this.#loadMessages(),
      ]);
      return { Screen, Frame: ScreenFrame };
    } catch (error) {
      // The screen shown instead needs to know.
      await pageVersion.check();
      throw error;
    }
  }
}
