import type { Clock } from '../base/clock.ts';
import type { SourceAddress } from './address.ts';
import { openAudioConverter } from './av/audio-converter.ts';
import type { AvPool } from './av/pool.ts';
import { AvSession } from './av/session.ts';
import { createDial } from './dial.ts';
import { RtspSession } from './rtsp/session.ts';
import type { OpenSession } from './running-attempt.ts';

/** Makes the sessions of all sources: our own RTSP engine, and FFmpeg's libraries in child processes. */
export class SourceEngines {
  readonly #clock: Clock;
  readonly #av: AvPool;

  constructor(options: { clock: Clock; av: AvPool }) {
    this.#clock = options.clock;
    this.#av = options.av;
  }

  /** Sessions for one address; `allowLoopback` says how far whoever saved it may reach. */
  opener(address: SourceAddress, allowLoopback: boolean): OpenSession {
    const clock = this.#clock;
    const pool = this.#av;
    const policy = { allowLoopback, isListener: address.scheme === 'udp', clock };
    return (engine) => {
      switch (engine) {
        case 'rtsp':
          return new RtspSession({
            url: address.url,
            ...(address.credentials && { credentials: address.credentials }),
            clock,
            dial: createDial(policy),
            convertAudio: (options) => openAudioConverter(options, pool),
          });
        case 'av':
          return new AvSession({ address, pool, clock, policy });
      }
    };
  }
}
