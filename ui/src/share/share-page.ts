import type { MessageLanguage } from '@vidette/contract/errors';
import type { PlayerState } from '../playback/state.ts';
import type { OldFrame } from '../playback/frame-age.ts';
import { lastFrameText, shareMessages, viewersText, type ShareMessages } from './messages.ts';
import { element, ShareBar } from './share-bar.ts';
import { ShareWords } from './share-words.ts';

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
  readonly #words = new ShareWords();
  readonly #bar: ShareBar;
  #status = 'pending';
  #state: PlayerState = { name: 'idle' };
  #old: OldFrame | undefined;
  #isValid = true;
  #mayFill = document.fullscreenEnabled;

  constructor(root: HTMLElement, name: string, language: MessageLanguage) {
    this.#language = language;
    this.#messages = shareMessages[language];
    this.#bar = new ShareBar(name, this.#messages);
    this.video.playsInline = true;
    this.video.muted = true;
    this.video.setAttribute('aria-label', name);
    this.#stage.append(this.video, this.#words.element);
    const page = element('main', 'share');
    page.append(this.#bar.element, this.#stage);
    root.replaceChildren(page);
    this.#show();
  }

  /** @param play plays after a refusal of the browser, a pause or a failure */
  listen(play: () => void): void {
    const { video } = this;
    video.addEventListener('volumechange', () => this.#show());
    this.#bar.listen({
      onPlay: play,
      onAudio: () => {
        video.muted = !video.muted;
      },
      onFullScreen: () => this.#toggleFullScreen(),
    });
  }

  setState(state: PlayerState): void {
    this.#state = state;
    this.#show();
  }

  /** The frame on screen is old, or is not any more. */
  setOldFrame(old: OldFrame | undefined): void {
    if (old === this.#old) return;
    this.#old = old;
    this.#show();
  }

  setFacts({ status, viewers }: ShareFacts): void {
    this.#status = status;
    this.#bar.setViewers(viewersText(viewers, this.#language));
    this.#show();
  }

  /** The link is not, or no longer, valid: only that message is shown. */
  setInvalid(): void {
    this.#isValid = false;
    this.#bar.setViewers('');
    this.#show();
  }

  #toggleFullScreen(): void {
    const change = document.fullscreenElement ? document.exitFullscreen() : this.#stage.requestFullscreen();
    // The embedding page may deny full screen to a frame.
    change.catch(() => {
      this.#mayFill = false;
      this.#show();
    });
  }

  #show(): void {
    const text = this.#isValid ? this.#reason() : this.#messages.invalid;
    this.#words.show(text, this.#isValid && this.#old ? lastFrameText(this.#old, this.#language) : '');
    this.#bar.show({
      isPlaying: this.#isValid && this.#state.name === 'playing',
      isMuted: this.video.muted,
      needsClick: this.#isValid && needsClick(this.#state),
      hasFullScreen: this.#isValid && this.#mayFill,
    });
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
        return this.#sourceText() ?? words.connecting;
      case 'waiting':
        return (state.reason === 'source' ? this.#sourceText() : undefined) ?? words[state.reason];
      case 'unsupported':
        return words.unsupported;
      case 'failed':
        return words.failed;
    }
  }

  /** Why the camera sends nothing; undefined if it should. */
  #sourceText(): string | undefined {
    switch (this.#status) {
      case 'paused':
        return this.#messages.paused;
      case 'failed':
        return this.#messages.source;
      default:
        return undefined;
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
