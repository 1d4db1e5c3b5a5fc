import type { Disposer, PageClock } from '../../base/clock.ts';
import type { Speed } from '../../playback/state.ts';
import type { ClipPlayer } from '../stream-view/media/clip-player.ts';
import { gapShownMs, type Clip, type DigestPart } from '@vidette/contract/digest-plan';

/** One of the two video elements: while one is visible, the other one loads the next clip. */
export type Slot = 0 | 1;

export interface DigestPlayerOptions<Video> {
  readonly parts: readonly DigestPart[];
  readonly speed: Speed;
  readonly clock: PageClock;
  /** The elements in which clips are played in turn. */
  readonly first: Video;
  readonly second: Video;
  /** A player of a camera in one of them. Called when the previous player of that element has been disposed. */
  readonly open: (uid: string, video: Video) => ClipPlayer;
}

/** The archive can't be read, this browser has no decoder for it, or its frames don't arrive. */
export type DigestFailure = 'failed' | 'unsupported' | 'silent';

/** A new value on each change. */
export interface DigestSnapshot {
  /** Which part is shown. */
  readonly place: number;
  /** The element that shows it, or that showed the clip before a gap. */
  readonly slot: Slot;
  readonly state: 'playing' | 'paused' | 'loading' | 'ended';
  /** Why the part can't be shown; the next one follows. */
  readonly failure: DigestFailure | undefined;
  readonly speed: Speed;
}

const tickMs = 100;
/** A clip whose frames don't arrive for this long is left out. */
const patienceMs = 15_000;
/** How long is said that a clip was left out. */
const failureShownMs = 2_000;

/**
 * Plays the parts of a digest one after the other. The next clip is loaded in a second element while the current one plays, so
 * that a change of camera takes no time. Independent of React. The creator disposes of it.
 */
export class DigestPlayer<Video = HTMLVideoElement> {
  readonly #options: DigestPlayerOptions<Video>;
  readonly #listeners = new Set<() => void>();
  readonly #stopTicks: Disposer;
  readonly #players: [ClipPlayer | undefined, ClipPlayer | undefined] = [undefined, undefined];
  /** The part for which each element is open. */
  readonly #places: [number, number] = [-1, -1];
  /** Whether each element has played, and is no longer at the beginning of its clip. */
  readonly #hasPlayed: [boolean, boolean] = [false, false];
  #snapshot: DigestSnapshot;
  /** When the part began, or its frames last moved; monotonic ms. */
  #movedMs: number;
  #shownMs = Number.NaN;

  constructor(options: DigestPlayerOptions<Video>) {
    this.#options = options;
    this.#snapshot = { place: 0, slot: 0, state: 'loading', failure: undefined, speed: options.speed };
    this.#movedMs = options.clock.monotonicMs();
    this.#stopTicks = options.clock.every(tickMs, () => this.#tick());
    this.goTo(0);
  }

  readonly getSnapshot = (): DigestSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The moment on screen, UTC ms; the beginning of the part before its first frame. */
  get utcMs(): number | undefined {
    const part = this.#part;
    if (!part) return undefined;
    if (part.type === 'gap') return part.fromMs;
    const utcMs = this.#players[this.#snapshot.slot]?.utcMs;
    return utcMs === undefined ? part.fromMs : Math.min(Math.max(utcMs, part.fromMs), part.toMs);
  }

  /** Shows a part from its beginning, and plays on unless paused. Beyond the last one, the digest has ended. */
  goTo(place: number): void {
    const { parts } = this.#options;
    this.#movedMs = this.#options.clock.monotonicMs();
    this.#shownMs = Number.NaN;
    const part = parts[Math.max(0, place)];
    if (!part) {
      this.#players[this.#snapshot.slot]?.pause();
      this.#update({ state: 'ended', failure: undefined });
      return;
    }
    const isPaused = this.#snapshot.state === 'paused';
    const before = this.#snapshot.slot;
    const slot = part.type === 'gap' ? before : this.#slotFor(part, Math.max(0, place));
    if (slot !== before || part.type === 'gap') this.#players[before]?.pause();
    this.#update({
      place: Math.max(0, place),
      slot,
      failure: undefined,
      state: isPaused ? 'paused' : part.type === 'gap' ? 'playing' : 'loading',
    });
    if (part.type === 'clip' && !isPaused) this.#play(slot);
    this.#prepareNext();
  }

  toggle(): void {
    const { state, place, slot } = this.#snapshot;
    if (state === 'ended') {
      this.goTo(0);
      return;
    }
    this.#movedMs = this.#options.clock.monotonicMs();
    if (state === 'paused') {
      this.#update({ state: 'loading' });
      if (this.#options.parts[place]?.type === 'clip') this.#play(slot);
    } else {
      this.#players[slot]?.pause();
      this.#update({ state: 'paused' });
    }
  }

  setSpeed(speed: Speed): void {
    this.#update({ speed });
    this.#players[this.#snapshot.slot]?.setSpeed(speed);
  }

  /** Network back, tab shown. */
  wake(): void {
    for (const player of this.#players) player?.wake();
  }

  dispose(): void {
    this.#listeners.clear();
    this.#stopTicks();
    for (const player of this.#players) player?.dispose();
  }

  get #part(): DigestPart | undefined {
    return this.#options.parts[this.#snapshot.place];
  }

  /** The element in which a clip is loaded already, or the hidden one. */
  #slotFor(part: Clip, place: number): Slot {
    const shown = this.#snapshot.slot;
    const hidden: Slot = shown === 0 ? 1 : 0;
    const loaded = [hidden, shown].find((slot) => this.#places[slot] === place);
    if (loaded === undefined) this.#open(part, place, hidden);
    else if (this.#hasPlayed[loaded]) {
      this.#players[loaded]?.seek(part.fromMs);
      this.#hasPlayed[loaded] = false;
    }
    return loaded ?? hidden;
  }

  #open(part: Clip, place: number, slot: Slot): void {
    this.#players[slot]?.dispose();
    const { open, first, second } = this.#options;
    const player = open(part.uid, slot === 0 ? first : second);
    this.#players[slot] = player;
    this.#places[slot] = place;
    this.#hasPlayed[slot] = false;
    player.seek(part.fromMs);
    player.pause();
  }

  #play(slot: Slot): void {
    this.#hasPlayed[slot] = true;
    this.#players[slot]?.setSpeed(this.#snapshot.speed);
    this.#players[slot]?.play();
  }

  /** Loads the clip that follows in the hidden element. */
  #prepareNext(): void {
    const { place, slot } = this.#snapshot;
    const next = this.#options.parts.findIndex((part, index) => index > place && part.type === 'clip');
    const part = this.#options.parts[next];
    const hidden: Slot = slot === 0 ? 1 : 0;
    if (part?.type === 'clip' && this.#places[hidden] !== next) this.#open(part, next, hidden);
  }

  #tick(): void {
    const { state, place, failure } = this.#snapshot;
    const part = this.#part;
    if (!part || state === 'paused' || state === 'ended') return;
    const now = this.#options.clock.monotonicMs();
    const waitedMs = now - this.#movedMs;
    if (failure !== undefined) {
      if (waitedMs >= failureShownMs) this.goTo(place + 1);
    } else if (part.type === 'gap') {
      if (waitedMs >= gapShownMs) this.goTo(place + 1);
    } else this.#follow(part, now);
  }

  #follow(part: Clip, now: number): void {
    const { place, slot } = this.#snapshot;
    const player = this.#players[slot];
    if (!player) return;
    const { state, mode } = player.getSnapshot();
    const { utcMs, isSeeking } = player;
    if (state.name === 'failed' || state.name === 'unsupported') return this.#leaveOut(state.name);
    // Behind a gap, or at the end of the archive, playback would go on elsewhere.
    const isBehind = mode === 'live' || state.name === 'ended' || (utcMs !== undefined && utcMs >= part.toMs);
    if (isBehind && !isSeeking) return this.goTo(place + 1);
    if (utcMs !== undefined && utcMs !== this.#shownMs && state.name === 'playing') {
      this.#shownMs = utcMs;
      this.#movedMs = now;
    } else if (now - this.#movedMs > patienceMs) return this.#leaveOut('silent');
    this.#update({ state: state.name === 'playing' ? 'playing' : 'loading' });
  }

  #leaveOut(failure: DigestFailure): void {
    this.#movedMs = this.#options.clock.monotonicMs();
    this.#players[this.#snapshot.slot]?.pause();
    this.#update({ failure });
  }

  #update(change: Partial<DigestSnapshot>): void {
    const next = { ...this.#snapshot, ...change };
    const isSame = (Object.keys(next) as (keyof DigestSnapshot)[]).every(
      (key) => next[key] === this.#snapshot[key],
    );
    if (isSame) return;
    this.#snapshot = next;
    for (const listener of this.#listeners) listener();
  }
}
