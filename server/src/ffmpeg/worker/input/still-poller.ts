import type { IncomingMessage, ServerResponse } from 'node:http';
import { delay, type Clock } from '../../../base/clock.ts';
import { request as httpRequest } from '../../../base/node-http.ts';
import type { Credentials } from '../../../dial/address.ts';
import type { Dial } from '../../../dial/dial.ts';
import { Authorization } from '../../../dial/authorization.ts';
import { jpegPartsHeaders, writeJpegPart } from './jpeg-parts.ts';
import { plainAddress, realTarget, type RealTarget } from './tls-names.ts';

/** From the start of one request to the next, ms. */
const periodMs = 1000;
/** Number of consecutive failed requests after which the source counts as lost. */
const failuresMax = 3;
const stillMaxBytes = 16 * 1024 * 1024;
/** Timeout of a complete image, ms. */
const answerMs = 10_000;
/** Maximum number of redirects of one request. */
const redirectsMax = 5;

export interface StillPollerOptions {
  readonly clock: Clock;
  readonly dial: Dial;
  readonly target: RealTarget;
  /** Path and query. */
  readonly path: string;
  readonly credentials: Credentials | undefined;
}

/**
 * Polls an address that responds with one JPEG, once per second: FFmpeg receives what a camera that streams
 * JPEG would send.
 */
export class StillPoller {
  readonly #options: StillPollerOptions;
  readonly #authorization: Authorization;
  readonly #abort = new AbortController();

  constructor(options: StillPollerOptions) {
    this.#options = options;
    this.#authorization = new Authorization({ credentials: options.credentials, allowBasic: true });
  }

  /** Whether a response is a single JPEG. */
  static isStill(answer: IncomingMessage): boolean {
    return answer.statusCode === 200 && /^image\/jpe?g\b/i.test(answer.headers['content-type'] ?? '');
  }

  /** Sends the image of `first` and all later ones until `response` is closed or the source fails. */
  async run(first: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#abort;
    response.once('close', () => this.#abort.abort(new Error('closed')));
    response.writeHead(200, jpegPartsHeaders);
    let answer: IncomingMessage | undefined = first;
    let failures = 0;
    let askedMs = clock.monotonicMs();
    while (!signal.aborted && failures < failuresMax) {
      const still = answer && (await wholeStill(answer));
      failures = still ? 0 : failures + 1;
      if (still) await writeJpegPart(still, response);
      try {
        await delay(clock, Math.max(0, askedMs + periodMs - clock.monotonicMs()), signal);
        askedMs = clock.monotonicMs();
        answer = await this.#askThere();
      } catch {
        // Counted: the next turn finds no image.
        answer = undefined;
      }
    }
    response.destroy();
  }

  /**
   * The response of the address, or of the one to which it redirects this time: some cameras have a new address
   * for each image.
   */
  async #askThere(): Promise<IncomingMessage> {
    let { target, path } = this.#options;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#ask(target, path, true);
      const { location } = answer.headers;
      const isRedirect = location !== undefined && Math.floor((answer.statusCode ?? 0) / 100) === 3;
      if (!isRedirect || redirects >= redirectsMax) return answer;
      answer.destroy();
      const next = URL.parse(location, `${target.tls ? 'https' : 'http'}://${target.authority}${path}`);
      if (next?.protocol !== 'http:' && next?.protocol !== 'https:') return answer;
      target = realTarget(new URL(plainAddress(next.href)));
      path = next.pathname + next.search;
    }
  }

  /** Rejects without a response; responses with another status are returned unchanged. */
  async #ask(target: RealTarget, path: string, isFirst: boolean): Promise<IncomingMessage> {
    const { dial } = this.#options;
    // The password is not sent to any other host.
    const isOwn = target.authority === this.#options.target.authority;
    const authorization = isOwn ? this.#authorization.header('GET', path) : undefined;
    const socket = await dial(target.host, target.port, target.tls, this.#abort.signal);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest({
        createConnection: () => socket,
        path,
        headers: {
          host: target.authority,
          'user-agent': 'Vidette',
          accept: '*/*',
          connection: 'close',
          ...(authorization === undefined ? {} : { authorization }),
        },
        insecureHTTPParser: true,
        timeout: answerMs,
      });
      request.on('response', resolve);
      request.on('timeout', () => request.destroy(new Error('no response in time')));
      request.on('error', reject);
      const { signal } = this.#abort;
      const onAbort = () => request.destroy();
      signal.addEventListener('abort', onAbort);
      // A poller runs for days with one request per second, so each request removes its own listener.
      request.once('close', () => signal.removeEventListener('abort', onAbort));
      request.end();
    });
    if (answer.statusCode !== 401 || !isOwn) return answer;
    const challenges = [answer.headers['www-authenticate'] ?? []].flat();
    answer.destroy();
    if (!isFirst || !this.#authorization.challenged(challenges, authorization === undefined)) return answer;
    return this.#ask(target, path, false);
  }
}

/** Undefined for anything but a complete JPEG. */
async function wholeStill(answer: IncomingMessage): Promise<Buffer | undefined> {
  if (!StillPoller.isStill(answer)) {
    answer.destroy();
    return undefined;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length;
      if (bytes > stillMaxBytes) return undefined;
      chunks.push(chunk as Buffer);
    }
  } catch {
    // Interrupted; counted by the caller.
    return undefined;
  }
  const still = Buffer.concat(chunks);
  return still[0] === 0xff && still[1] === 0xd8 ? still : undefined;
}
