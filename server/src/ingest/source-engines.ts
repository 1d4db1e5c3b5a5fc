import type { Clock } from '../base/clock.ts';
import { rtspSchemes, type SourceAddress, type SourceScheme } from '../dial/address.ts';
import { openAudioTranscoder } from '../ffmpeg/audio-transcoder.ts';
import type { FfmpegPool } from '../ffmpeg/pool.ts';
import { FfmpegSession } from './ffmpeg-session.ts';
import { canConnect, createDial, createSourceDial } from '../dial/dial.ts';
import { ReturnTurns, type SourceContact } from './return-watch.ts';
import { PollRounds } from './rtsp/poll-rounds.ts';
import { RtspSession, type SourceMemory } from './rtsp/session.ts';
import type { OpenSession } from './running-attempt.ts';
import type { SourceAudience } from './source.ts';
import { runClock } from './timing.ts';

/** Sources that accept a TCP connection. */
const connected: ReadonlySet<SourceScheme> = new Set([...rtspSchemes, 'rtmp', 'rtmps', 'http', 'https']);
const reachTimeoutMs = 1000;

/** Creates the sessions of all sources: the native RTSP engine, and FFmpeg's libraries in child processes. */
export class SourceEngines {
  readonly #clock: Clock;
  readonly #ffmpeg: FfmpegPool;
  readonly #rounds: PollRounds;
  readonly #turns: ReturnTurns;

  constructor(options: { clock: Clock; ffmpeg: FfmpegPool }) {
    this.#clock = options.clock;
    this.#ffmpeg = options.ffmpeg;
    this.#rounds = new PollRounds(options.clock);
    this.#turns = new ReturnTurns(options.clock);
  }

  /** Whether anything listens at an address; undefined for sources without a connection. */
  reach(address: SourceAddress, allowLoopback: boolean): SourceContact | undefined {
    const { scheme, host, port } = address;
    if (!connected.has(scheme)) return undefined;
    const dial = createDial({ allowLoopback, clock: this.#clock, timeoutMs: reachTimeoutMs });
    return {
      turnMs: () => this.#turns.next(host),
      canConnect: (signal) => canConnect(dial, host, port, signal),
    };
  }

  /**
   * Sessions for one address; `allowLoopback` depends on the user who saved it. Without an audience samples are
   * passed on immediately. The limits are asked for each session.
   */
  opener(
    address: SourceAddress,
    allowLoopback: boolean,
    audience?: SourceAudience,
    limits: () => { readonly replyTimeoutMs?: number } = () => ({}),
  ): OpenSession {
    const pool = this.#ffmpeg;
    const polling = audience && { audience, rounds: this.#rounds };
    const memory: SourceMemory = { videoTurn: 0 };
    return (engine) => {
      // Each connection dates its samples by the wall clock at its start.
      const clock = runClock(this.#clock);
      const policy = { allowLoopback, isListener: address.scheme === 'udp', clock };
      const { replyTimeoutMs } = limits();
      switch (engine) {
        case 'rtsp':
          return new RtspSession({
            url: address.url,
            ...(address.credentials && { credentials: address.credentials }),
            clock,
            dial: createSourceDial(address.host, policy),
            memory,
            ...(replyTimeoutMs !== undefined && { replyTimeoutMs }),
            ...(polling && { polling }),
            transcodeAudio: (options) => openAudioTranscoder(options, pool),
          });
        case 'av':
          return new FfmpegSession({
            ...{ address, pool, clock, policy },
            ...(replyTimeoutMs !== undefined && { timeoutMs: replyTimeoutMs }),
          });
      }
    };
  }
}
