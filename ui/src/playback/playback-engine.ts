import type { Disposer, PageClock } from '../base/clock.ts';
import { ElementPlay } from './element-play.ts';
import type { MediaForm, NothingSpec, StreamVariant } from './feed-spec.ts';
import type { MediaElement } from './media-element.ts';
import { MediaSink, type MseEnvironment } from './media-sink.ts';
import { figuresOf, type PlayerFigures } from './player-figures.ts';
import type { Playback, PlaybackParts } from './playback.ts';
import { canFollow, refusalOf, sameState, type PlayerState, type TranscodingRefusal } from './state.ts';

/** What a host can show: a union discriminated by `kind`. */
interface AnySpec {
  readonly kind: string;
}

/** The inputs of a host's playback. */
export interface PlaybackStart extends PlaybackParts {
  readonly isTranscoded: boolean;
  /** The moment to begin at, UTC ms; the present where none was requested. */
  readonly fromMs: number;
  readonly speed: number;
}

/** The kinds of playback that a host has. */
export interface PlaybackKinds<Spec extends AnySpec> {
  /** Creates the playback of a spec; undefined, and reported as a state, where there is none. */
  open(spec: Spec, start: PlaybackStart): Playback | undefined;
  /**
   * The playback that accompanies the server's snapshots when nothing can be decoded; undefined: none is
   * needed.
   */
  openUndecodable(spec: Spec): Playback | undefined;
  /** The form to request of a stream whose codec this browser lacks. */
  formOf(spec: Spec): MediaForm;
  variantOf(spec: Spec): StreamVariant;
}

/** The state of its engine that a host shows. */
export interface EngineState {
  readonly state: PlayerState;
  /** Common name of the codec that the server transcodes; undefined while the stream is unmodified. */
  readonly converted: string | undefined;
}

export interface PlaybackEngineOptions<Spec extends AnySpec> {
  readonly video: MediaElement;
  /** Undefined where the browser has no Media Source Extensions. */
  readonly environment: MseEnvironment | undefined;
  readonly clock: PageClock;
  readonly kinds: PlaybackKinds<Spec>;
  readonly onChange: (shown: EngineState) => void;
  /** The viewer paused the element from outside the page, for example with the system's media keys. */
  readonly onPausedOutside?: () => void;
  /** The server refused to transcode what this browser can't decode. */
  readonly onRefused?: (refusal: TranscodingRefusal) => void;
  /** Runs each exchange of playbacks, e.g. so that a shared connection stays open meanwhile. */
  readonly exchange?: (swap: () => void) => void;
}

/** One playback, and what it was created for. */
interface Run<Spec extends AnySpec> {
  readonly spec: Spec | NothingSpec;
  /** The codec that the server transcodes for it. */
  readonly codec: string | undefined;
  /** Report no state until there is more to show than now. */
  isQuiet: boolean;
  playback: Playback | undefined;
}

export interface ShowOptions {
  /** The moment to begin at, UTC ms; where playback is now by default. */
  readonly fromMs?: number | undefined;
  /** Unchanged by default. */
  readonly speed?: number | undefined;
}

interface Beginning {
  readonly fromMs?: number | undefined;
  readonly isQuiet?: boolean;
}

const IDLE: EngineState = { state: { name: 'idle' }, converted: undefined };
/** The states that justify replacing what is on screen. */
const MORE_TO_SHOW: readonly PlayerState['name'][] = ['playing', 'paused', 'failed'];
/** States that only a new start leaves, or a recording that is added. */
const OVER: readonly PlayerState['name'][] = ['failed', 'unsupported', 'ended'];

/**
 * The player under its hosts (the single player, a tile of a wall): owns the element's sink and the one playback
 * in charge, and exchanges it. A host decides what is shown and is notified of the state. Media that this
 * browser can't decode is requested transcoded, if the host has it; a browser that refuses to play is asked
 * again until it does.
 */
export class PlaybackEngine<Spec extends AnySpec> {
  readonly #options: PlaybackEngineOptions<Spec>;
  readonly #sink: MediaSink | undefined;
  readonly #play: ElementPlay;
  readonly #unlisten: Disposer;
  /** Common names of the codecs that this browser was found to have no decoder for. */
  readonly #codecs = new Map<StreamVariant, string>();
  #run: Run<Spec> = { spec: { kind: 'nothing' }, codec: undefined, isQuiet: false, playback: undefined };
  /** The moment requested last, or that of the last playback when it ended. */
  #atMs: number | undefined;
  #speed = 1;
  #shown = IDLE;

  constructor(options: PlaybackEngineOptions<Spec>) {
    this.#options = options;
    const { video, environment } = options;
    video.muted = true;
    this.#play = new ElementPlay(video, {
      // A new source resets the rate.
      onStarted: () => this.#run.playback?.setSpeed(this.#speed),
      onRefused: () => this.#settle({ name: 'waiting', reason: 'gesture' }),
    });
    if (environment) {
      this.#sink = new MediaSink(video, environment, {
        onBroken: () => this.#run.playback?.onSinkBroken(),
        onBuffered: () => this.tick(),
      });
    }
    this.#unlisten = listenTo(video, {
      playing: () => this.#run.playback?.onPlaying(),
      waiting: () => this.#run.playback?.onStalled(),
      seeked: () => this.tick(),
      canplay: () => this.tick(),
      pause: () => this.#play.isViewersPause() && options.onPausedOutside?.(),
    });
  }

  /** What is shown, or was until it was suspended. */
  get spec(): Spec | NothingSpec {
    return this.#run.spec;
  }

  get state(): PlayerState {
    return this.#shown.state;
  }

  /** Playback has stopped, and resumes only when the host shows something. */
  get isOver(): boolean {
    return OVER.includes(this.#shown.state.name);
  }

  /** The viewer's intent, whatever the element does. */
  get isPaused(): boolean {
    return !this.#play.isWanted;
  }

  /** The moment on screen or the requested one, UTC ms; undefined before the first frame of live. */
  get utcMs(): number | undefined {
    const { playback } = this.#run;
    return playback ? playback.utcMs : this.#atMs;
  }

  get isSeeking(): boolean {
    return (this.#run.playback?.isSeeking ?? false) && !this.isOver;
  }

  get delayMs(): number | undefined {
    return this.#run.playback?.delayMs;
  }

  /** Current metrics; undefined where nothing can be played. */
  get figures(): PlayerFigures | undefined {
    const transport = this.spec.kind === 'live' ? 'websocket' : 'http';
    return this.#sink && figuresOf(this.#options.video, this.#sink, transport);
  }

  /** Replaces what is shown. The frame on screen stays until another comes. */
  show(spec: Spec | NothingSpec, { fromMs, speed = this.#speed }: ShowOptions = {}): void {
    this.#speed = speed;
    this.#begin(spec, { fromMs });
  }

  /** Tries the same again; what is on screen and its state stay until there is more to show. */
  retryQuietly(): void {
    this.#begin(this.#run.spec, { isQuiet: true });
  }

  /** Forgets which codecs this browser lacks, and tries the same again. */
  restart(): void {
    this.#codecs.clear();
    this.#begin(this.#run.spec);
  }

  /** Releases the playback and keeps frame and state; `show` resumes. */
  suspend(): void {
    this.#atMs = this.utcMs;
    this.#end();
  }

  /** Goes to a moment. False where what is shown can't: something else has to be shown. */
  seek(utcMs: number): boolean {
    const isDone = !this.isOver && (this.#run.playback?.seek(utcMs) ?? false);
    if (isDone) this.#drive();
    return isDone;
  }

  /** Shows the frame after or before this one. False where it can only be found in the archive. */
  step(direction: 1 | -1): boolean {
    return this.#run.playback?.step(direction) ?? true;
  }

  /** The viewer pauses or plays. A playback that is created while paused begins paused. */
  setPaused(isPaused: boolean): void {
    this.#play.isWanted = !isPaused;
    if (isPaused) this.#play.hold();
    this.#run.playback?.setPaused(isPaused);
    this.#drive();
  }

  /** The viewer wants playback; takes effect with the next `show`. */
  want(): void {
    this.#play.isWanted = true;
  }

  setSpeed(speed: number): void {
    this.#speed = speed;
    this.#run.playback?.setSpeed(speed);
  }

  tick(): void {
    this.#run.playback?.tick();
    this.#drive();
  }

  wake(): void {
    this.#run.playback?.wake();
  }

  /** Releases the element. Idempotent. */
  dispose(): void {
    this.#end();
    this.#unlisten();
    this.#sink?.dispose();
    this.#set(IDLE);
  }

  #begin(spec: Spec | NothingSpec, { fromMs, isQuiet = false }: Beginning = {}): void {
    const { exchange } = this.#options;
    this.#atMs = fromMs ?? this.utcMs;
    if (exchange) exchange(() => this.#replace(spec, isQuiet));
    else this.#replace(spec, isQuiet);
  }

  #replace(spec: Spec | NothingSpec, isQuiet: boolean): void {
    this.#end();
    const { video, clock, kinds } = this.#options;
    if (!isQuiet) this.#shown = IDLE;
    const sink = this.#sink;
    if (!isShown(spec) || !sink) {
      this.#run = { spec, codec: undefined, isQuiet, playback: undefined };
      this.#set(isShown(spec) ? { ...IDLE, state: { name: 'unsupported', codec: '' } } : IDLE);
      this.#play.hold();
      // What is hidden needs no memory.
      void sink?.clear();
      return;
    }
    const lacking = this.#codecs.get(kinds.variantOf(spec));
    const form = lacking === undefined ? 'original' : kinds.formOf(spec);
    if (lacking !== undefined && form === 'none') {
      this.#run = { spec, codec: undefined, isQuiet: false, playback: undefined };
      this.#giveUp(lacking, undefined);
      return;
    }
    const isTranscoded = form === 'transcoded';
    const run: Run<Spec> = { spec, codec: isTranscoded ? lacking : undefined, isQuiet, playback: undefined };
    this.#run = run;
    const playback = kinds.open(spec, {
      video,
      sink,
      clock,
      isTranscoded,
      fromMs: this.#atMs ?? clock.wallMs(),
      speed: this.#speed,
      onState: (state) => {
        if (this.#run === run) this.#follow(state);
      },
    });
    // What it reported while it was created may have led to another one.
    if (this.#run !== run) {
      playback?.dispose();
      return;
    }
    run.playback = playback;
    if (this.isPaused) playback?.setPaused(true);
    this.#drive();
  }

  /** Ends the playback in charge; its last states are no longer reported. */
  #end(): void {
    const { playback } = this.#run;
    this.#run = { ...this.#run, playback: undefined };
    this.#play.forgetRefusal();
    playback?.dispose();
  }

  /** A state of the playback in charge. Media that this browser can't decode is requested once more, transcoded. */
  #follow(said: PlayerState): void {
    const { spec, codec } = this.#run;
    if (!isShown(spec)) return;
    const { kinds } = this.#options;
    if (codec === undefined) {
      if (said.name === 'unsupported' && said.codec !== '') {
        this.#codecs.set(kinds.variantOf(spec), said.codec);
        if (kinds.formOf(spec) !== 'original') {
          this.#begin(spec);
          return;
        }
      }
      this.#settle(said);
      return;
    }
    const refusal = said.name === 'failed' ? refusalOf(said.code) : undefined;
    if (refusal || said.name === 'unsupported') this.#giveUp(codec, refusal);
    else this.#settle(said);
  }

  /** Neither this browser nor the server can produce video of it. */
  #giveUp(codec: string, refusal: TranscodingRefusal | undefined): void {
    const { kinds, onRefused } = this.#options;
    const { spec } = this.#run;
    this.#atMs = this.utcMs;
    this.#end();
    this.#play.hold();
    const playback = isShown(spec) ? kinds.openUndecodable(spec) : undefined;
    this.#run = { spec, codec: undefined, isQuiet: false, playback };
    this.#set({ state: { name: 'unsupported', codec, ...(refusal && { refusal }) }, converted: undefined });
    if (refusal) onRefused?.(refusal);
  }

  #settle(said: PlayerState): void {
    const run = this.#run;
    const isHeldBack = this.#play.isRefused && (said.name === 'connecting' || said.name === 'buffering');
    const state: PlayerState = isHeldBack ? { name: 'waiting', reason: 'gesture' } : said;
    const before = this.#shown.state;
    if (run.isQuiet) {
      if (!MORE_TO_SHOW.includes(state.name)) return;
      run.isQuiet = false;
    } else if (sameState(before, state) || !canFollow(before, state)) return;
    this.#set({ state, converted: run.codec });
  }

  #set(shown: EngineState): void {
    this.#shown = shown;
    this.#options.onChange(shown);
  }

  /** The only place where the element is started and stopped, whichever playback is in charge. */
  #drive(): void {
    const { playback, isQuiet } = this.#run;
    if (!playback) return;
    if (!playback.playsElement) this.#play.hold();
    else if (isQuiet || !this.isOver) this.#play.start();
  }
}

function isShown<Spec extends AnySpec>(spec: Spec | NothingSpec): spec is Exclude<Spec, NothingSpec> {
  return spec.kind !== 'nothing';
}

/** Listens to several events of an element; the returned function stops. */
function listenTo(target: EventTarget, listeners: Readonly<Record<string, () => void>>): Disposer {
  for (const [name, listen] of Object.entries(listeners)) target.addEventListener(name, listen);
  return () => {
    for (const [name, listen] of Object.entries(listeners)) target.removeEventListener(name, listen);
  };
}
