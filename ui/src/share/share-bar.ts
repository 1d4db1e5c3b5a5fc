import type { ShareMessages } from './messages.ts';

/** Which parts of the bar exist. */
export interface ShareBarState {
  readonly isPlaying: boolean;
  readonly isMuted: boolean;
  readonly needsClick: boolean;
  readonly hasFullScreen: boolean;
}

export interface ShareBarEvents {
  readonly onPlay: () => void;
  readonly onAudio: () => void;
  readonly onFullScreen: () => void;
}

/** The upper edge of the public page: the stream's name, whether it is live, its viewers and the buttons. */
export class ShareBar {
  readonly element = element('header', 'share-bar');
  readonly #messages: ShareMessages;
  readonly #live = element('span', 'share-live');
  readonly #viewers = element('span', 'share-quiet');
  readonly #play = element('button', 'share-play');
  readonly #audio = element('button', 'share-sound');
  readonly #fullScreen = element('button', 'share-full');

  constructor(name: string, messages: ShareMessages) {
    this.#messages = messages;
    const heading = element('h1', 'share-name');
    heading.textContent = name;
    this.#live.textContent = messages.live;
    this.#play.textContent = messages.play;
    this.#fullScreen.textContent = messages.fullScreen;
    this.element.append(heading, this.#live, this.#viewers, this.#play, this.#audio, this.#fullScreen);
  }

  listen({ onPlay, onAudio, onFullScreen }: ShareBarEvents): void {
    this.#play.addEventListener('click', onPlay);
    this.#audio.addEventListener('click', onAudio);
    this.#fullScreen.addEventListener('click', onFullScreen);
  }

  setViewers(text: string): void {
    this.#viewers.textContent = text;
  }

  show({ isPlaying, isMuted, needsClick, hasFullScreen }: ShareBarState): void {
    this.#live.hidden = !isPlaying;
    this.#audio.hidden = !isPlaying;
    this.#play.hidden = !needsClick;
    this.#fullScreen.hidden = !hasFullScreen;
    this.#audio.textContent = isMuted ? this.#messages.audioOn : this.#messages.audioOff;
  }
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
