import type { Clock } from '../../base/clock.ts';
import type { PauseCause } from '../../hub/reader.ts';
import type { Credentials } from '../../dial/address.ts';
import { canConnect, type Dial } from '../../dial/dial.ts';
import type { SourceSession, SourceSink } from '../source.ts';
import { utcMs } from '../timing.ts';
import type { RtspConnection } from './connection.ts';
import type { TranscodeAudio } from './transcoded-audio-depacketizer.ts';
import { describeSource, type Described } from './handshake.ts';
import { KeepAlive } from './keep-alive.ts';
import { chooseMedia, type MediaChoice } from './media-choice.ts';
import { MediaSetup } from './media-setup.ts';
import { PollBatcher, type PollBatcherOptions } from './poll-batcher.ts';
import { refuseUnlessOk } from './refusal.ts';
import { ReceptionReport } from './reception-report.ts';
import { SilenceWatch } from './silence-watch.ts';

export interface RtspSessionOptions {
  /** An RTSP address, direct or over HTTP, without user and password. */
  readonly url: string;
  readonly credentials?: Credentials;
  readonly clock: Clock;
  /** Opens every connection, including those of redirects. */
  readonly dial: Dial;
  /** Transcodes G.711 to AAC; without it such audio is omitted. */
  readonly transcodeAudio?: TranscodeAudio;
  /**
   * The consumers of the connection, and the rounds in which it is read when they tolerate latency; without
   * them it is always read immediately.
   */
  readonly polling?: PollBatcherOptions;
  /** Timeout of each reply, ms. Default 10 s. */
  readonly replyTimeoutMs?: number;
  /** What earlier attempts at this address learned. */
  readonly memory?: SourceMemory;
}

/** What one attempt at an address learns for the next. */
export interface SourceMemory {
  /** Which of several video tracks is used: it advances when one was announced but sent nothing. */
  videoTurn: number;
  /**
   * The methods that the server listed when it last sent frames. RFC 2326, 10.1, allows OPTIONS at any time and demands it at
   * none; without it a stream starts one exchange sooner. Undefined after an attempt that brought none: the server may be another.
   */
  methods?: ReadonlySet<string> | undefined;
}

const defaultReplyTimeoutMs = 10_000;
/** Interval of checks whether the first key frame has waited long enough for the audio. */
const lookMs = 500;
/** Replies to a PLAY whose Range the server doesn't accept (RFC 2326, 7.1.1). */
const rangeRefusals: ReadonlySet<number> = new Set([400, 451, 455, 456, 457, 501]);

/**
 * One attempt at one RTSP camera: DESCRIBE, SETUP and PLAY over one TCP connection (two for RTSP over HTTP),
 * then samples until it ends. It notices a dead connection and a missing reply; the watchdog of the attempt
 * checks whether frames arrive.
 */
export class RtspSession implements SourceSession {
  readonly #options: RtspSessionOptions;

  constructor(options: RtspSessionOptions) {
    this.#options = options;
  }

  async run(sink: SourceSink, signal: AbortSignal): Promise<PauseCause> {
    try {
      signal.throwIfAborted();
      return await this.#play(await this.#describe(signal), sink, signal);
    } catch (error) {
      if (signal.aborted) return 'stopped';
      throw error;
    }
  }

  #describe(signal: AbortSignal): Promise<Described> {
    const { url, credentials, clock, dial, memory, replyTimeoutMs = defaultReplyTimeoutMs } = this.#options;
    const knownMethods = memory?.methods;
    if (memory) memory.methods = undefined;
    return describeSource({ url, credentials, clock, dial, replyTimeoutMs, knownMethods }, signal);
  }

  #choose({ description, base }: Described): MediaChoice {
    const { transcodeAudio, memory } = this.#options;
    return chooseMedia(description, base, transcodeAudio !== undefined, memory?.videoTurn);
  }

  async #play(described: Described, sink: SourceSink, signal: AbortSignal): Promise<PauseCause> {
    const { connection } = described;
    const finished = Promise.withResolvers<PauseCause>();
    const onAbort = () => finished.resolve('stopped');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    connection.onClosed = (fault) => finished.reject(fault);
    const opened: { close(): void }[] = [];
    let teardownUri: string | undefined;
    const learn = ({ videoTracks }: MediaChoice, { isVideoSeen }: MediaSetup) => {
      const { memory } = this.#options;
      if (memory && videoTracks > 1 && !isVideoSeen) memory.videoTurn++;
      if (memory && isVideoSeen && !described.isRedirected) memory.methods = described.methods;
    };
    const start = async (): Promise<PauseCause> => {
      const { clock, transcodeAudio, polling, dial } = this.#options;
      const choice = this.#choose(described);
      for (const line of choice.ignored) sink.note(line);
      const setup = new MediaSetup({
        choice,
        sink,
        transcodeAudio,
        onGoodbye: () => finished.resolve('ended'),
      });
      opened.push(setup);
      const timeoutSeconds = await setup.perform(connection);
      opened.push({ close: () => learn(choice, setup) });
      opened.push({ close: clock.every(lookMs, () => setup.look(utcMs(clock))) });
      teardownUri = choice.aggregateUri;
      await play(connection, choice.aggregateUri);
      if (signal.aborted) return 'stopped';
      if (polling && connection.canRest) opened.push(new PollBatcher(connection, clock, polling));
      const canGetParameter = described.methods.has('GET_PARAMETER');
      const onDead = finished.reject;
      const uri = choice.aggregateUri;
      const keepAlive = new KeepAlive({
        connection,
        clock,
        uri,
        timeoutSeconds,
        canGetParameter,
        onDead,
      });
      opened.push(keepAlive);
      const ask = () => keepAlive.ask();
      const { host, port } = described.target;
      const isThere = () => canConnect(dial, host, port, signal).catch(() => false);
      opened.push(new SilenceWatch({ connection, clock, canConnect: isThere, ask, onDead }));
      opened.push(new ReceptionReport({ connection, clock, sink, receivers: setup.receivers }));
      return finished.promise;
    };
    try {
      return await Promise.race([start(), finished.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      for (const one of opened) one.close();
      await connection.close(teardownUri);
    }
  }
}

async function play(connection: RtspConnection, uri: string): Promise<void> {
  let response = await connection.request('PLAY', uri, [['Range', 'npt=0.000-']]);
  if (rangeRefusals.has(response.status)) response = await connection.request('PLAY', uri);
  refuseUnlessOk(response, 'PLAY');
}
