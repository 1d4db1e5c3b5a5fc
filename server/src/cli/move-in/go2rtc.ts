import { parseSourceAddress } from '../../dial/address.ts';
import { Fault } from '../../base/fault.ts';
import { listIn, objectIn, textIn, type Settings } from './found-stream.ts';

/** The port of its RTSP server unless the configuration names another one. */
const portDefault = '8554';
/** Sources of go2rtc that other sources name: deeper ones than this lead in a circle. */
const depthMax = 8;

/** An address for a stream. */
export interface Resolved {
  readonly address: string | undefined;
  /** go2rtc reads the camera in a way that this server can't, and has to go on. */
  readonly isRestream: boolean;
}

/** What the section `go2rtc` of Frigate's configuration says of sources. */
export class Go2rtc {
  readonly #streams: Settings;
  readonly #port: string;
  readonly #fill: (source: string) => string;

  /** @param fill puts values in place of variables */
  constructor(section: unknown, fill: (source: string) => string) {
    const settings = objectIn(section);
    this.#streams = objectIn(settings['streams']);
    const listening = textIn(objectIn(settings['rtsp'])['listen']);
    this.#port = /:(\d+)$/.exec(listening ?? '')?.[1] ?? portDefault;
    this.#fill = fill;
  }

  /** What go2rtc reads, for an address of go2rtc on the same machine; undefined for any other address. */
  behind(address: string): Resolved | undefined {
    const [, port, name] =
      /^rtsp:\/\/(?:[^@/]*@)?(?:127\.0\.0\.1|localhost|\[::1\]):(\d+)\/([^?#]+)/.exec(address) ?? [];
    if (port !== this.#port || name === undefined) return undefined;
    const camera = this.#cameraOf(name, 0);
    return camera === undefined ? { address, isRestream: true } : { address: camera, isRestream: false };
  }

  /** The first source of a stream that this server can read. */
  #cameraOf(name: string, depth: number): string | undefined {
    const sources = Object.hasOwn(this.#streams, name) ? this.#streams[name] : undefined;
    if (depth > depthMax) return undefined;
    for (const source of Array.isArray(sources) ? listIn(sources) : [sources]) {
      const text = textIn(source);
      // `ffmpeg:` reads another address, or another stream, through FFmpeg; what follows # are options.
      const bare = text?.replace(/^ffmpeg:/, '').split('#', 1)[0] ?? '';
      // RTSP over TLS with any certificate, as ours.
      const address = this.#fill(bare.replace(/^rtspx:/, 'rtsps:'));
      if (isUsable(address)) return address;
      const camera = bare === name ? undefined : this.#cameraOf(bare, depth + 1);
      if (camera !== undefined) return camera;
    }
    return undefined;
  }
}

function isUsable(address: string): boolean {
  try {
    parseSourceAddress(address);
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return false;
  }
}
