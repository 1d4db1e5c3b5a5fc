import { ApiError } from '@vidette/contract/client';
import type { ErrorCode } from '@vidette/contract/errors';
import { browserClock, type Disposer } from '../../base/clock.ts';
import { browserMse } from '../../playback/media-sink.ts';
import { Player } from '../../playback/player.ts';
import type { Speed } from '../../playback/state.ts';
import { Scrubber } from '../../playback/scrubber.ts';
import type { RangesLoader } from '../../timeline/ranges-loader.ts';
import { Timeline } from '../../timeline/timeline.ts';
import { ScrubPreview } from './scrub-preview.ts';
import { streamStills } from './media/stills.ts';
import { streamRanges } from './media/stream-ranges.ts';
import { streamSource } from './media/stream-source.ts';

export interface ViewerOptions {
  readonly uid: string;
  readonly video: HTMLVideoElement;
  /** Longest request for ranges, ms. */
  readonly rangesMaxMs: number;
  /** Start in the archive at this moment rather than live. */
  readonly startMs: number | undefined;
  /** Start with audio on, if the browser allows it. */
  readonly hasAudio: boolean;
  readonly archiveSpeed: Speed;
}

/**
 * The objects behind the screen of one stream: player and timeline, each connected to the other, both notified
 * when the page is hidden or the network returns. Created with the video element and disposed with it.
 */
export class Viewer {
  readonly player: Player;
  readonly timeline: Timeline;
  /** The still frames under the pointer. */
  readonly scrubber: Scrubber;
  readonly leading: ScrubPreview;
  readonly #loader: RangesLoader;
  readonly #listeners = new Set<() => void>();
  #archiveProblem: ErrorCode | undefined;

  constructor({ uid, video, rangesMaxMs, startMs, hasAudio, archiveSpeed }: ViewerOptions) {
    this.#loader = streamRanges(uid, {
      rangesMaxMs,
      onAnswer: () => this.#setProblem(undefined),
      onError: (error) => this.#setProblem(error instanceof ApiError ? error.code : 'SERVER_UNKNOWN_ERR'),
    });
    const environment = browserMse();
    this.player = new Player({
      video,
      environment,
      clock: browserClock,
      source: streamSource(uid, this.#loader),
      archiveSpeed,
    });
    if (hasAudio) this.player.setMuted(false);
    this.timeline = new Timeline({
      clock: browserClock,
      loader: this.#loader,
      onSeek: (utcMs) => this.player.seek(utcMs),
      onLive: () => this.player.goLive(),
    });
    this.scrubber = new Scrubber({
      clock: browserClock,
      stills: streamStills(uid, this.player.reader, environment),
      // A missing still frame is simply not shown; the player reports what is wrong with the archive.
      onError: () => {},
    });
    this.leading = new ScrubPreview(this.timeline, this.player, this.scrubber, browserClock);
    document.addEventListener('visibilitychange', this.#onVisibility);
    window.addEventListener('online', this.#onOnline);
    if (startMs === undefined) this.player.goLive();
    else this.timeline.goTo(startMs);
  }

  /** Why the archive can't be shown; undefined while it can. */
  readonly getArchiveProblem = (): ErrorCode | undefined => this.#archiveProblem;

  /** Calls back when the archive's problem changes. */
  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  dispose(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    window.removeEventListener('online', this.#onOnline);
    this.leading.dispose();
    this.scrubber.dispose();
    this.timeline.dispose();
    this.player.dispose();
    this.#listeners.clear();
  }

  #setProblem(code: ErrorCode | undefined): void {
    if (this.#archiveProblem === code) return;
    this.#archiveProblem = code;
    for (const listener of this.#listeners) listener();
  }

  readonly #onVisibility = (): void => {
    const isVisible = document.visibilityState === 'visible';
    this.player.setVisible(isVisible || document.pictureInPictureElement !== null);
    if (isVisible) this.#loader.show(this.timeline.getView().scale);
    else this.#loader.pause();
  };

  readonly #onOnline = (): void => {
    this.player.wake();
  };
}
