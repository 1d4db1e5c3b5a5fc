import { element } from './share-bar.ts';

/** The text over video that does not move. */
export class ShareWords {
  readonly element = element('div', 'share-words');
  readonly #message = element('p', 'share-message');
  /** Apart from the message, which is announced on each change. */
  readonly #lastFrame = element('p', 'share-last');

  constructor() {
    this.#message.setAttribute('role', 'status');
    this.element.append(this.#message, this.#lastFrame);
  }

  /** Without a message there is no overlay. */
  show(message: string, lastFrame: string): void {
    if (this.#message.textContent !== message) this.#message.textContent = message;
    this.#lastFrame.textContent = lastFrame;
    this.element.hidden = message === '';
  }
}
