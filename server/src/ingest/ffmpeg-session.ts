import type { Sample } from '@vidette/media/sample';
import type { Clock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import type { PauseCause } from '../hub/reader.ts';
import { addressWithCredentials, type SourceAddress, type SourceScheme } from '../dial/address.ts';
import { createSourceDial, resolveHost, type Dial } from '../dial/dial.ts';
import type { AddressPolicy } from '../dial/address-policy.ts';
import type { SourceSession, SourceSink } from './source.ts';
import { utcMs } from './timing.ts';
import { ContainerTimes } from './container-times.ts';
import { parseDemoAddress } from './demo-address.ts';
import type { WorkerRole } from '../ffmpeg/job.ts';
import type { FfmpegPool } from '../ffmpeg/pool.ts';
import type { JobRequest, SampleMessage, SourceClock } from '../ffmpeg/protocol.ts';

export interface FfmpegSessionOptions {
  readonly address: SourceAddress;
  readonly pool: FfmpegPool;
  readonly clock: Clock;
  /** The address policy of the source. */
  readonly policy: AddressPolicy;
  /** Timeout for a connection, a response or the next packet, ms. Default 10 s. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
/**
 * Protocols whose children keep network access: FFmpeg opens datagram sockets itself, for RTSP only if TCP is
 * refused.
 */
const overDatagrams: ReadonlySet<SourceScheme> = new Set(['rtsp', 'rtsps', 'srt', 'udp']);

/**
 * One attempt at a source that node-av reads in a child process: everything but native RTSP and `demo:`. RTSP
 * is read as the fallback.
 */
export class FfmpegSession implements SourceSession {
  readonly #options: FfmpegSessionOptions;

  constructor(options: FfmpegSessionOptions) {
    this.#options = options;
  }

  async run(sink: SourceSink, signal: AbortSignal): Promise<PauseCause> {
    signal.throwIfAborted();
    const { address } = this.#options;
    if (address.scheme === 'demo')
      return await runJob({ ...this.#options, request: this.#demoRequest(), role: 'demo' }, sink, signal);
    const request = await this.#inputRequest(signal);
    const role = overDatagrams.has(address.scheme) ? 'datagrams' : 'input';
    return await runJob({ ...this.#options, request, role, dial: this.#dial() }, sink, signal);
  }

  #demoRequest(): () => JobRequest {
    const { address, clock } = this.#options;
    const demo = parseDemoAddress(address.url);
    return () => ({ kind: 'demo', ...demo, utcMs: utcMs(clock) });
  }

  /**
   * Resolves and checks the host first, so that a forbidden address or an unknown name is reported before
   * anything is opened.
   */
  async #inputRequest(signal: AbortSignal): Promise<() => JobRequest> {
    const { address, clock, policy, timeoutMs = defaultTimeoutMs } = this.#options;
    let ip: string | undefined;
    if (address.host !== '') {
      [ip] = await resolveHost(address.host, { ...policy, clock, timeoutMs }, signal);
    }
    const url = addressWithCredentials(address);
    const { host, port } = address;
    return () => ({ kind: 'input', url, host, port, ip, allowFile: false, timeoutMs });
  }

  /**
   * Opens connections for the child: HTTP may name other hosts, other protocols are limited to the host of the
   * address.
   */
  #dial(): Dial {
    const { address, clock, policy, timeoutMs = defaultTimeoutMs } = this.#options;
    const dial = createSourceDial(address.host, { ...policy, clock, timeoutMs, startsPaused: true });
    if (address.scheme === 'http' || address.scheme === 'https') return dial;
    return (_host, _port, tls, signal) => dial(address.host, address.port, tls, signal);
  }
}

/** Reads a file of this machine in real time: for tests and demonstrations, never for a user's address. */
export class FfmpegFileSession implements SourceSession {
  readonly #options: { path: string; pool: FfmpegPool; clock: Clock };

  constructor(options: { path: string; pool: FfmpegPool; clock: Clock }) {
    this.#options = options;
  }

  async run(sink: SourceSink, signal: AbortSignal): Promise<PauseCause> {
    signal.throwIfAborted();
    const request = (): JobRequest => ({
      kind: 'input',
      url: this.#options.path,
      host: '',
      port: 0,
      ip: undefined,
      allowFile: true,
      timeoutMs: defaultTimeoutMs,
    });
    return await runJob({ ...this.#options, request, role: 'file' }, sink, signal);
  }
}

interface RunOptions {
  readonly pool: FfmpegPool;
  readonly clock: Clock;
  readonly request: () => JobRequest;
  readonly role: WorkerRole;
  readonly dial?: Dial;
}

function runJob(options: RunOptions, sink: SourceSink, signal: AbortSignal): Promise<PauseCause> {
  signal.throwIfAborted();
  const { pool, clock, request, role, dial } = options;
  const times = new ContainerTimes(clock);
  let sourceClock: SourceClock = 'source';
  return new Promise<PauseCause>((resolve, reject) => {
    const onAbort = () => {
      job.close();
      resolve('stopped');
    };
    const job = pool.open(request, role, {
      ...(dial && { dial }),
      message(message) {
        switch (message.type) {
          case 'tracks':
            sourceClock = message.clock;
            times.setTracks(message.tracks);
            sink.tracks(message.tracks);
            return;
          case 'sample': {
            const sample = sourceClock === 'utc' ? message : placed(message, times);
            if (sample) sink.sample(toSample(sample));
            return;
          }
          case 'awaiting':
            sink.awaiting(message.track);
            return;
          case 'note':
            sink.note(message.message);
            return;
          case 'snapshot':
          case 'thumbnail':
          case 'taken':
            throw new RangeError('A source cannot take snapshots or frames.');
        }
      },
      ended(fault: Fault | undefined) {
        signal.removeEventListener('abort', onAbort);
        if (fault) reject(fault);
        else resolve('ended');
      },
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function placed(message: SampleMessage, times: ContainerTimes): SampleMessage | undefined {
  const mapped = times.map(message);
  return mapped && { ...message, ...mapped };
}

function toSample({ trackId, dts, pts, isKey, isDamaged, bytes }: SampleMessage): Sample {
  return { trackId, dts, pts, isKey, isDamaged, data: [bytes], size: bytes.length };
}
