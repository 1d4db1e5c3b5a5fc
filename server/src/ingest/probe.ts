import type { ErrorCode } from '@vidette/contract/errors';
import type { Sample } from '@vidette/media/sample';
import { primaryTrack, type Track } from '@vidette/media/track';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { rtspFallbackSchemes, rtspSchemes, type SourceAddress, type SourceScheme } from '../dial/address.ts';
import type { OpenSession, SourceEngine } from './running-attempt.ts';

export interface ProbeOptions {
  readonly clock: Clock;
  readonly openSession: OpenSession;
  /** Time limit of the complete probe, ms; at most 60 s. Default 15 s. */
  readonly timeoutMs?: number;
  /** Aborted when the caller disconnects. */
  readonly signal?: AbortSignal;
}

export interface ProbeResult {
  /** How the source is read, as text: `RTSP over TCP`. */
  readonly transport: string;
  readonly tracks: readonly Track[];
  /** The primary track, and its first sample at which a decoder can start, for the preview image. */
  readonly keyTrack: Track;
  readonly keySample: Sample;
}

const defaultTimeoutMs = 15_000;
const maxTimeoutMs = 60_000;

const transports: Readonly<Record<SourceScheme, string>> = {
  rtsp: 'RTSP over TCP',
  rtsps: 'RTSP over TLS',
  rtsph: 'RTSP over HTTP',
  rtspsh: 'RTSP over HTTPS',
  rtmp: 'RTMP',
  rtmps: 'RTMP over TLS',
  http: 'HTTP',
  https: 'HTTPS',
  srt: 'SRT',
  udp: 'MPEG-TS over UDP',
  demo: 'Generated video',
};

/** The codes that a probe may return [R8.11]; any other error becomes a ProbeError with its message. */
const probeCodes: readonly ErrorCode[] = [
  'EHOSTUNREACH',
  'HTTP_NOT_FOUND',
  'HTTP_UNAUTHORIZED',
  'ProbeError',
  'STREAM_SOURCE_ERR',
];

/**
 * Tries an address as the supervisor would, up to its first complete frame: announced tracks prove nothing.
 * @throws Fault EHOSTUNREACH, HTTP_NOT_FOUND, HTTP_UNAUTHORIZED, ProbeError or STREAM_SOURCE_ERR with a message
 * for the user, within the time limit; the signal's reason if it is aborted
 */
export async function probe(address: SourceAddress, options: ProbeOptions): Promise<ProbeResult> {
  const timeoutMs = Math.min(options.timeoutMs ?? defaultTimeoutMs, maxTimeoutMs);
  const deadlineMs = options.clock.monotonicMs() + timeoutMs;
  const isRtsp = rtspSchemes.has(address.scheme);
  const transport = transports[address.scheme];
  try {
    return { transport, ...(await firstFrame(isRtsp ? 'rtsp' : 'av', options, deadlineMs)) };
  } catch (error) {
    options.signal?.throwIfAborted();
    const fault = probeFault(error);
    if (!rtspFallbackSchemes.has(address.scheme) || fault.code !== 'ProbeError') throw fault;
    // FFmpeg uses TCP or UDP, whichever the camera offers, and doesn't report which.
    const words = address.scheme === 'rtsp' ? 'RTSP, by FFmpeg' : `${transport}, by FFmpeg`;
    return { transport: words, ...(await byFallback(fault, options, deadlineMs)) };
  }
}

type FirstFrame = Omit<ProbeResult, 'transport'>;

/**
 * FFmpeg may succeed where the native engine fails; if it doesn't, the native engine's error message is the
 * better one.
 */
async function byFallback(first: Fault, options: ProbeOptions, deadlineMs: number): Promise<FirstFrame> {
  try {
    return await firstFrame('av', options, deadlineMs);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new Fault(first.code, first.message, { cause: error });
  }
}

/** Rejects with a Fault, or with the error of an engine. The session is asked to stop, but not waited for. */
function firstFrame(engine: SourceEngine, options: ProbeOptions, deadlineMs: number): Promise<FirstFrame> {
  const { clock, openSession, signal } = options;
  const done = new AbortController();
  let tracks: readonly Track[] = [];
  const awaited = new Set<Track['kind']>();
  return new Promise<FirstFrame>((resolve, reject) => {
    const cancel = clock.after(deadlineMs - clock.monotonicMs(), () => reject(tooLate(tracks, awaited)));
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    done.signal.addEventListener('abort', () => {
      cancel();
      signal?.removeEventListener('abort', onAbort);
    });
    signal?.throwIfAborted();
    const sink = {
      tracks: (declared: readonly Track[]) => {
        tracks = declared;
      },
      sample: (keySample: Sample) => {
        const keyTrack = primaryTrack(tracks);
        if (!keyTrack || keySample.trackId !== keyTrack.id || !keySample.isKey) return;
        resolve({ tracks, keyTrack, keySample });
      },
      awaiting: (kind: Track['kind']) => awaited.add(kind),
      lost: () => {},
      note: () => {},
    };
    openSession(engine)
      .run(sink, done.signal)
      .then(() => reject(new Fault('ProbeError', 'The source ended before its first frame.')), reject);
  }).finally(() => done.abort());
}

function tooLate(tracks: readonly Track[], awaited: ReadonlySet<Track['kind']>): Fault {
  if (awaited.has('video')) return new Fault('ProbeError', 'The source sent no key frame in time.');
  if (awaited.has('audio'))
    return new Fault('ProbeError', 'The source announces video but sends only audio.');
  if (tracks.length === 0) return new Fault('EHOSTUNREACH', 'The source did not answer in time.');
  return new Fault('ProbeError', 'The source announced a stream but sent no frame in time.');
}

function probeFault(error: unknown): Fault {
  if (!(error instanceof Fault)) {
    return new Fault('ProbeError', 'The source could not be read.', { cause: error });
  }
  if (probeCodes.includes(error.code)) return error;
  return new Fault('ProbeError', error.message, { cause: error });
}
