import type { MessageLanguage } from '@vidette/contract/errors';
import type { Player } from '../playback/player.ts';
import type { PlayerState } from '../playback/state.ts';
import { shareMessages, viewersText, type ShareMessages } from './messages.ts';

export interface ShareFacts {
  readonly status: string;
  readonly viewers: number;
}

/** The elements of the public page; without a framework, which would be most of a visitor's download. */
export class SharePage {
  readonly video = document.createElement('video');
  readonly #language: MessageLanguage;
  readonly #messages: ShareMessages;
  readonly #stage = element('div', 'share-stage');
  readonly #message = element('p', 'share-words');
  readonly #live = element('span', 'share-live');
  readonly #viewers = element('span', 'share-quiet');
  readonly #audio = element('button', 'share-sound');
  readonly #play = element('button', 'share-play');
  readonly #fullScreen = element('button', 'share-full');
  #status = 'pending';
  #state: PlayerState = { name: 'idle' };
  #isValid = true;
  #mayFill = document.fullscreenEnabled;

  constructor(root: HTMLElement, name: string, language: MessageLanguage) {
    this.#language = language;
    this.#messages = shareMessages[language];
    const bar = element('header', 'share-bar');
    const heading = element('h1', 'share-name');
    heading.textContent = name;
    bar.append(heading, this.#live, this.#viewers, this.#play, this.#audio, this.#fullScreen);
    this.video.playsInline = true;
    this.video.muted = true;
    this.video.setAttribute('aria-label', name);
    this.#message.setAttribute('role', 'status');
    this.#live.textContent = this.#messages.live;
    this.#play.textContent = this.#messages.play;
    this.#fullScreen.textContent = this.#messages.fullScreen;
    this.#stage.append(this.video, this.#message);
    const page = element('main', 'share');
    page.append(bar, this.#stage);
    root.replaceChildren(page);
    this.#show();
  }

  /** Connects to a player; the buttons control it. */
  follow(player: Player): void {
    player.subscribe(() => {
      this.#state = player.getSnapshot().state;
      this.#show();
    });
    this.#play.addEventListener('click', () => player.play());
    this.#audio.addEventListener('click', () => player.setMuted(!this.video.muted));
    this.#fullScreen.addEventListener('click', () => {
      const change = document.fullscreenElement ? document.exitFullscreen() : this.#stage.requestFullscreen();
      // The embedding page may deny full screen to a frame.
      change.catch(() => {
        this.#mayFill = false;
        this.#show();
      });
    });
  }

  setFacts({ status, viewers }: ShareFacts): void {
    this.#status = status;
    this.#viewers.textContent = viewersText(viewers, this.#language);
    this.#show();
  }

  /** The link is not valid, or no longer: only that message is shown. */
  setInvalid(): void {
    this.#isValid = false;
    this.#viewers.textContent = '';
    this.#show();
  }

  #show(): void {
    const text = this.#isValid ? this.#reason() : this.#messages.invalid;
    const isPlaying = this.#isValid && this.#state.name === 'playing';
    this.#message.textContent = text;
    this.#message.hidden = text === '';
    this.#live.hidden = !isPlaying;
    this.#audio.hidden = !isPlaying;
    this.#fullScreen.hidden = !this.#isValid || !this.#mayFill;
    this.#play.hidden = !this.#isValid || !needsClick(this.#state);
    this.#audio.textContent = this.video.muted ? this.#messages.audioOn : this.#messages.audioOff;
    this.#stage.dataset['playerState'] = this.#isValid ? this.#state.name : 'failed';
  }

  /** Why there is no moving video; empty while there is. */
  #reason(): string {
    const words = this.#messages;
    const state = this.#state;
    switch (state.name) {
      case 'playing':
      case 'paused':
      case 'ended':
        return '';
      case 'idle':
      case 'connecting':
      case 'buffering':
        return words.connecting;
      case 'waiting':
        return state.reason === 'source' && this.#status === 'paused' ? words.paused : words[state.reason];
      case 'unsupported':
        return words.unsupported;
      case 'failed':
        return words.failed;
    }
  }
}

function needsClick(state: PlayerState): boolean {
  return (
    state.name === 'paused' ||
    state.name === 'failed' ||
    (state.name === 'waiting' && state.reason === 'gesture')
  );
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
