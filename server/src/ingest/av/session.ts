import type { Clock } from '../../base/clock.ts';
import type { PauseCause } from '../../stream/reader.ts';
import type { SourceAddress } from '../address.ts';
import type { SourceSession, SourceSink } from '../source.ts';
import { utcMs } from '../timing.ts';
import { parseDemoAddress } from './demo-address.ts';
import type { AvJob, AvPool } from './pool.ts';
import type { JobRequest, SampleMessage } from './protocol.ts';

export interface AvSessionOptions {
  readonly address: SourceAddress;
  readonly pool: AvPool;
  readonly clock: Clock;
}

/** A source read by node-av in a child process. */
export class AvSession implements SourceSession {
  readonly #options: AvSessionOptions;

  constructor(options: AvSessionOptions) {
    this.#options = options;
  }

  async run(sink: SourceSink, signal: AbortSignal): Promise<PauseCause> {
    signal.throwIfAborted();
    const request = this.#request();
    return await new Promise<PauseCause>((resolve, reject) => {
      let job: AvJob | undefined;
      const onAbort = () => {
        job?.close();
        resolve('stopped');
      };
      try {
        job = this.#options.pool.open(request, 'demo', {
          message: (message) => {
            if (message.type === 'tracks') sink.tracks(message.tracks);
            else if (message.type === 'sample') sink.sample(toSample(message));
            else if (message.type === 'note') sink.note(message.message);
          },
          ended: (fault) => {
            signal.removeEventListener('abort', onAbort);
            if (fault) reject(fault);
            else resolve('ended');
          },
        });
      } catch (error) {
        reject(error);
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #request(): () => JobRequest {
    const { address, clock } = this.#options;
    const demo = parseDemoAddress(address.url);
    return () => ({ kind: 'demo', ...demo, utcMs: utcMs(clock) });
  }
}

function toSample(message: SampleMessage) {
  const { trackId, dts, pts, isKey, isDamaged, bytes } = message;
  return { trackId, dts, pts, isKey, isDamaged, data: [bytes], size: bytes.length };
}
