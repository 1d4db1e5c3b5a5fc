import type { WebSocket } from 'ws';
import type { Clock } from '../base/clock.ts';
import type { LoadLevel } from '../base/load-level.ts';
import type { Log } from '../base/log.ts';
import type { Stream } from '../hub/stream.ts';
import { LiveFragmenter } from './fragmenter.ts';
import { LowLatencyHls } from './hls.ts';
import { LiveSession, type LiveSink, type LiveVariant } from './session.ts';
import { serveLiveSocket } from './socket.ts';

export interface LiveOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly load: Pick<LoadLevel, 'defers' | 'requireRoom'>;
  /** Viewers of a stream whom another process serves; undefined where there is none. */
  readonly audienceElsewhere?: (uid: string) => LiveAudience | undefined;
}

/** Viewers of one stream, and what they were sent since the server started. */
export interface LiveAudience {
  readonly viewers: number;
  readonly bytesSent: number;
  /** Samples that slow viewers missed. */
  readonly skippedSamples: number;
}

const emptyAudience: LiveAudience = { viewers: 0, bytesSent: 0, skippedSamples: 0 };

/** The live delivery of one stream: created on first use, ended by the hub's `end`, removed with the stream. */
interface StreamLive {
  readonly fragmenter: LiveFragmenter;
  readonly sessions: Set<LiveSession>;
  hls: LowLatencyHls | undefined;
  /** Of viewers that have disconnected. */
  bytesSent: number;
  skippedSamples: number;
}

/**
 * The live side of the server: viewers over WebSockets and players over LL-HLS, both Readers of a stream's hub.
 * It holds what the viewers of one stream share, so that a fragment is built once, however many viewers there
 * are.
 */
export class Live {
  readonly #options: LiveOptions;
  readonly #streams = new WeakMap<Stream, StreamLive>();

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  /**
   * Serves one authorised WebSocket until either side ends it.
   * @returns the session; call its `end(code)` when the viewer's right to watch is withdrawn
   */
  serveSocket(socket: WebSocket, stream: Stream, variant: LiveVariant): LiveSession {
    const { clock, log } = this.#options;
    return serveLiveSocket({
      socket,
      clock,
      log: log.child({ stream: stream.uid }),
      open: (sink, onEnd) => this.open(stream, sink, variant, onEnd),
    });
  }

  /** One viewer without a socket of its own, e.g. a channel of a shared socket. New ones may have to wait under overload. */
  open(
    stream: Stream,
    sink: LiveSink,
    variant: LiveVariant,
    onEnd: ConstructorParameters<typeof LiveSession>[0]['onEnd'],
  ): LiveSession {
    const live = this.#of(stream);
    const { clock, load } = this.#options;
    const session: LiveSession = new LiveSession({
      stream,
      fragmenter: live.fragmenter,
      sink,
      clock,
      variant,
      load,
      onEnd: (code, error) => {
        live.sessions.delete(session);
        live.bytesSent += session.bytesSent;
        live.skippedSamples += session.skippedSamples;
        onEnd(code, error);
      },
    });
    live.sessions.add(session);
    // The caller receives the session before its end.
    if (load.defers('live')) queueMicrotask(() => session.end('ServerOverloaded'));
    return session;
  }

  /**
   * The LL-HLS side of a stream; it reads the stream only while players request its files.
   * @throws Fault ServerOverloaded: players of LL-HLS can't be reduced to key frames
   */
  hls(stream: Stream): LowLatencyHls {
    const live = this.#of(stream);
    const { clock, log, load } = this.#options;
    load.requireRoom('live');
    live.hls ??= new LowLatencyHls({ stream, clock, log: log.child({ stream: stream.uid }) });
    return live.hls;
  }

  audience(stream: Stream): LiveAudience {
    const elsewhere = this.#options.audienceElsewhere?.(stream.uid) ?? emptyAudience;
    const live = this.#streams.get(stream);
    if (!live) return elsewhere;
    let bytesSent = elsewhere.bytesSent + live.bytesSent;
    let skippedSamples = elsewhere.skippedSamples + live.skippedSamples;
    for (const session of live.sessions) {
      bytesSent += session.bytesSent;
      skippedSamples += session.skippedSamples;
    }
    return { viewers: elsewhere.viewers + live.sessions.size, bytesSent, skippedSamples };
  }

  #of(stream: Stream): StreamLive {
    const known = this.#streams.get(stream);
    if (known) return known;
    const fragmenter = new LiveFragmenter();
    const made = {
      fragmenter,
      sessions: new Set<LiveSession>(),
      hls: undefined,
      bytesSent: 0,
      skippedSamples: 0,
    };
    this.#streams.set(stream, made);
    return made;
  }
}
