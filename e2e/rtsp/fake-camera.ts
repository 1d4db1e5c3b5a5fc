import { createHash } from 'node:crypto';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { header, parseHead, type RtspRequest } from '@vidette/media/rtsp/message';
import { interleavedRtp, parameterSets, videoPayloads, type CameraClip } from './fake-media.ts';

/** The behaviour of a scripted camera; the default of each option is that of a well-behaved camera. */
export interface FakeCameraOptions {
  readonly clip: CameraClip;
  /** Where it listens; loopback, at a free port, unless given. */
  readonly host?: string;
  readonly port?: number;
  readonly auth?: FakeAuth;
  /** How the description identifies its tracks. */
  readonly control?: 'relative' | 'absolute' | 'missing';
  /** The base of relative addresses in the description; the request's own address by default. */
  readonly contentBase?: (origin: string) => string;
  /** Parameter sets in the description, in front of every key frame, or both. Default both. */
  readonly parameters?: 'described' | 'in-band' | 'both';
  /** A second track: silence in G.711, or one that is announced and never sends. */
  readonly audio?: 'pcmu' | 'never';
  /** Every request is answered with this page. */
  readonly html?: string;
  /** Statuses by method, in place of 200. */
  readonly status?: Readonly<Record<string, number>>;
  readonly redirectTo?: string;
  /** The server's own choice of interleaved channels. */
  readonly firstChannel?: number;
  /** The channels in its answer, if they differ from those on which it sends. */
  readonly namedChannel?: number;
  /** Sends a packet with each frame on this channel, which was not set up. */
  readonly foreignChannel?: number;
  /** Sends packets before the reply to PLAY. */
  readonly startsEarly?: boolean;
  /** Added to the CSeq of every reply. */
  readonly cseqOffset?: number;
  /** The Public header of OPTIONS. */
  readonly methods?: string;
  readonly timeoutSeconds?: number;
  /** The whole Session header. */
  readonly session?: string;
  /** Headers of the reply to PLAY. */
  readonly playHeaders?: readonly string[];
  /** Closes the connection when this method was not requested for this long, ms. */
  readonly expects?: { readonly method: string; readonly withinMs: number };
  readonly replyDelayMs?: number;
  /** Requests of this method are never answered. */
  readonly ignores?: string;
  /** Closes the connection after this number of frames, */
  readonly dropAfter?: number;
  /** or stays silent from then on, */
  readonly stallAfter?: number;
  /** or sends a BYE by RTCP. */
  readonly goodbyeAfter?: number;
  /** RTP packets that are dropped, by frame and position in it, both from 0. */
  readonly loses?: (frame: number, position: number) => boolean;
  /** Speed of the clock of its timestamps. Default 1. */
  readonly clockSpeed?: number;
  /** RTP time stamp of the first frame. */
  readonly firstTimestamp?: number;
  /** Added to the timestamps from this frame on. */
  readonly jump?: { readonly at: number; readonly ticks: number };
  /** Another clip from this frame on. */
  readonly change?: { readonly at: number; readonly until?: number; readonly clip: CameraClip };
  readonly markers?: 'last' | 'none' | 'all';
  /** Splits the output into chunks of this number of bytes. */
  readonly pieceBytes?: number;
  /** Time between frames, ms; the clip's own by default. */
  readonly paceMs?: number;
  /** RTP payload type of each packet of a frame, from 0; 96, as announced, by default. */
  readonly payloadType?: (frame: number) => number;
  /** Sends an unrelated packet of this payload type with each frame. */
  readonly companionType?: number;
  /** Changes the description before it is sent. */
  readonly describes?: (description: string) => string;
  /** Handles key frame requests as an encoder does: only the first frame and requested ones are key frames. */
  readonly keysOnRequest?: boolean;
  /** Closes the connection after each 401. */
  readonly closesAfterRefusal?: boolean;
  /**
   * The frame that is due now, of an encoder that runs with or without viewers; by default each PLAY starts
   * with the first.
   */
  readonly frameNow?: () => number;
  /** All sessions get the same frames at the same time, as from an encoder that runs since the first of them. */
  readonly isShared?: boolean;
  /** With `isShared`: a session gets its frames so much later than they are due, ms; by its number, from 0. */
  readonly lagMs?: (session: number) => number;
  /** Frames carry their numbers: an SEI whose text is `numberMark` and eight hexadecimal digits. Only H.264. */
  readonly isNumbered?: boolean;
  /** What happens to a second session: it is refused or reset, or ends the first. Any number is admitted unless given. */
  readonly secondSession?: 'refused' | 'reset' | 'ends-first' | 'silences-first';
  /** A session counts for so long after its end, ms. */
  readonly freesAfterMs?: number;
  /** The reply to the PLAY of a session that begins while another one plays is this late, ms. */
  readonly secondPlayDelayMs?: number;
  /** The first session that begins while another one plays is cut before its answer to PLAY. */
  readonly failsSecondOnce?: boolean;
  /** Added to the RTP time stamps of every connection but the first, ticks. */
  readonly laterTimestamps?: number;
  /** Frames for which this is false are not sent; the audio is. By frame and connection, both from 0. */
  readonly shows?: (frame: number, connection: number) => boolean;
  /** Frames from now on per session, then silence with the socket open. Unlimited unless given. */
  readonly frames?: number;
}

/** Precedes the number of a frame; in place of the UUID of an SEI. */
export const numberMark = 'vidette-frame-no';

interface FakeAuth {
  readonly scheme: 'basic' | 'digest';
  readonly algorithms?: readonly ('MD5' | 'SHA-256')[];
  readonly hasQop?: boolean;
  readonly user: string;
  readonly password: string;
  /** A nonce is valid for this number of requests, then it is stale. */
  readonly nonceUses?: number;
}

export interface FakeCamera {
  readonly port: number;
  readonly url: string;
  /** The requests, in order, of all connections. */
  readonly requests: readonly RtspRequest[];
  readonly connections: number;
  /** Frames that were due so far, of all connections, or of the encoder that they share. */
  readonly frames: number;
  /** The numbers of the frames with which its sessions began, in the order in which they did. */
  readonly playedFrom: readonly number[];
  stop(): Promise<void>;
}

const realm = 'fake camera';
const videoClock = 90_000;
const audioTicks = 160;
/** The newest nonce of each camera. */
const nonces = new WeakMap<FakeCameraOptions, string>();

/** Starts a camera on a free port. */
export async function startFakeCamera(options: FakeCameraOptions): Promise<FakeCamera> {
  const requests: RtspRequest[] = [];
  const connections = new Set<Connection>();
  let count = 0;
  const playedFrom: number[] = [];
  let frames = 0;
  let failures = 0;
  let startMs: number | undefined;
  const server = createServer({ noDelay: true }, (socket) => {
    count++;
    const connection = new Connection(socket, count - 1, options, {
      request: (request) => requests.push(request),
      picture: (index) => (frames = options.isShared ? Math.max(frames, index + 1) : frames + 1),
      begin: () => (startMs ??= performance.now()),
      plays: (from) => playedFrom.push(from),
      failsOnce: () => failures++ === 0,
      isAlone: () => ![...connections].some((other) => other !== connection && other.isPlaying),
      admit: () => {
        const others = [...connections].filter((other) => other !== connection && other.isPlaying);
        if (options.secondSession === 'ends-first') for (const other of others) other.close();
        if (options.secondSession === 'silences-first') for (const other of others) other.silence();
        if (options.secondSession === 'reset' && others.length > 0) socket.resetAndDestroy();
        return options.secondSession !== 'refused' || others.length === 0;
      },
    });
    connections.add(connection);
    socket.on('close', () => {
      setTimeout(() => connections.delete(connection), options.freesAfterMs ?? 0).unref();
    });
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `rtsp://${host}:${port}/live/main`,
    requests,
    get connections() {
      return count;
    },
    get frames() {
      return frames;
    },
    playedFrom,
    async stop() {
      for (const connection of connections) connection.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface ConnectionEvents {
  readonly request: (request: RtspRequest) => void;
  readonly picture: (index: number) => void;
  /** When the encoder that the sessions share began. */
  readonly begin: () => number;
  /** The session begins with that frame. */
  readonly plays: (from: number) => void;
  /** Whether no other session plays. */
  readonly isAlone: () => boolean;
  /** True the first time. */
  readonly failsOnce: () => boolean;
  /** Whether the camera admits this session. */
  readonly admit: () => boolean;
}

/** One client of the camera. */
class Connection {
  readonly #socket: Socket;
  /** From 0, in order of arrival. */
  readonly #number: number;
  readonly #options: FakeCameraOptions;
  readonly #on: ConnectionEvents;
  #text = '';
  #nonce = '';
  #nonceUses = 0;
  #nonces = 0;
  #setups = 0;
  #timer: NodeJS.Timeout | undefined;
  #sendDue = (): void => {};
  #frame = 0;
  #sequence = 65_530;
  #expiry: NodeJS.Timeout | undefined;
  #isFrameWanted = false;
  #isKeyWanted = false;
  #sinceKey = 0;
  #audioSequence = 0;

  constructor(socket: Socket, number: number, options: FakeCameraOptions, on: ConnectionEvents) {
    this.#socket = socket;
    this.#number = number;
    this.#options = options;
    this.#on = on;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // These tests are about clients that disconnect in the middle.
    socket.on('error', () => this.close());
    socket.on('close', () => {
      clearInterval(this.#timer);
      clearTimeout(this.#expiry);
    });
  }

  /** The session ends unless the method that keeps it arrives. */
  #expect(): void {
    const { expects } = this.#options;
    if (!expects) return;
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.close(), expects.withinMs);
  }

  get isPlaying(): boolean {
    return this.#timer !== undefined && (!this.#socket.destroyed || this.#options.freesAfterMs !== undefined);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket.destroy();
  }

  /** Sends nothing more, with the socket open; the encoder's frames up to now were sent. */
  silence(): void {
    this.#sendDue();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #read(chunk: Buffer): void {
    this.#text += chunk.toString('latin1');
    this.#readPackets();
    for (let end = this.#text.indexOf('\r\n\r\n'); end >= 0; end = this.#text.indexOf('\r\n\r\n')) {
      const message = parseHead(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + 4);
      if (message.type !== 'request') continue;
      this.#on.request(message);
      const { replyDelayMs = 0, secondPlayDelayMs = 0 } = this.#options;
      const isSecond = message.method === 'PLAY' && !this.#on.isAlone();
      const delayMs = isSecond ? secondPlayDelayMs : replyDelayMs;
      if (delayMs > 0) setTimeout(() => this.#answer(message), delayMs).unref();
      else this.#answer(message);
    }
  }

  /** Interleaved packets of the client: only key frame requests matter here. */
  #readPackets(): void {
    while (this.#text.startsWith('$') && this.#text.length >= 4) {
      const end = 4 + this.#text.charCodeAt(2) * 256 + this.#text.charCodeAt(3);
      if (this.#text.length < end) return;
      const packet = Buffer.from(this.#text.slice(4, end), 'latin1');
      this.#text = this.#text.slice(end);
      // A picture loss indication after an empty receiver report.
      if (packet[8] === 0x81 && packet[9] === 206) this.#isKeyWanted = true;
    }
  }

  #answer(request: RtspRequest): void {
    const { html, status, redirectTo, ignores, auth } = this.#options;
    const { method } = request;
    if (method === this.#options.expects?.method && this.#expiry) this.#expect();
    if (method === ignores) return;
    if (html !== undefined) {
      this.#socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n${html}`);
      return;
    }
    const challenge = auth && method !== 'OPTIONS' ? this.#challenge(request, auth) : undefined;
    const forced = status?.[method];
    if (challenge) {
      this.#reply(request, 401, challenge);
      if (this.#options.closesAfterRefusal) this.#socket.end();
    } else if (forced !== undefined) this.#reply(request, forced, []);
    else if (redirectTo !== undefined && method === 'DESCRIBE')
      this.#reply(request, 302, [`Location: ${redirectTo}`]);
    else this.#serve(request);
  }

  #serve(request: RtspRequest): void {
    const options = this.#options;
    switch (request.method) {
      case 'OPTIONS':
        this.#reply(request, 200, [`Public: ${options.methods ?? 'DESCRIBE, SETUP, PLAY, TEARDOWN'}`]);
        return;
      case 'DESCRIBE': {
        const base = options.contentBase?.(`rtsp://${header(request, 'host') ?? originOf(request.uri)}`);
        const headers = [
          'Content-Type: application/sdp',
          ...(base === undefined ? [] : [`Content-Base: ${base}`]),
        ];
        const description = this.#description(request.uri);
        this.#reply(request, 200, headers, options.describes?.(description) ?? description);
        return;
      }
      case 'SETUP': {
        this.#isFrameWanted ||= !request.uri.includes('trackID=') || request.uri.endsWith('trackID=0');
        const channel = (options.namedChannel ?? options.firstChannel ?? 0) + 2 * this.#setups++;
        this.#reply(request, 200, [
          `Transport: RTP/AVP/TCP;unicast;interleaved=${channel}-${channel + 1}`,
          `Session: ${options.session ?? `fake123;timeout=${options.timeoutSeconds ?? 60}`}`,
        ]);
        return;
      }
      case 'PLAY':
        if (options.failsSecondOnce && !this.#on.isAlone() && this.#on.failsOnce()) {
          this.close();
          return;
        }
        if (!this.#on.admit()) {
          this.#reply(request, 453, []);
          return;
        }
        if (options.startsEarly) this.#send();
        this.#reply(request, 200, options.playHeaders ?? []);
        this.#expect();
        this.#play(options.paceMs ?? 1000 / options.clip.framesPerSecond);
        return;
      case 'TEARDOWN':
        this.#reply(request, 200, []);
        this.#socket.end();
        return;
      default:
        this.#reply(request, 200, []);
    }
  }

  #reply(request: RtspRequest, status: number, headers: readonly string[], body = ''): void {
    const cseq = Number(header(request, 'cseq')) + (this.#options.cseqOffset ?? 0);
    const lines = [`RTSP/1.0 ${status} Words`, `CSeq: ${cseq}`, ...headers];
    if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    this.#write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`));
  }

  #write(bytes: Buffer): void {
    const { pieceBytes } = this.#options;
    if (this.#socket.destroyed) return;
    if (pieceBytes === undefined) {
      this.#socket.write(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; at += pieceBytes)
      this.#socket.write(bytes.subarray(at, at + pieceBytes));
  }

  #description(uri: string): string {
    const { clip, parameters = 'both', control = 'relative', audio } = this.#options;
    const named = (name: string) =>
      control === 'missing' ? [] : [`a=control:${control === 'absolute' ? `${uri}/` : ''}${name}`];
    const isH264 = clip.codec === undefined;
    const sprop = `${clip.sps.toString('base64')},${clip.pps.toString('base64')}`;
    const described = parameters === 'in-band' || !isH264 ? '' : `;sprop-parameter-sets=${sprop}`;
    return [
      'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=Fake\r\nt=0 0',
      'm=video 0 RTP/AVP 96\r\na=rtpmap:96 ' + (isH264 ? 'H264/90000' : 'H265/90000'),
      `a=fmtp:96 packetization-mode=1${described}`,
      ...named('trackID=0'),
      ...(audio ? ['m=audio 0 RTP/AVP 0', ...named('trackID=1')] : []),
      'm=application 0 RTP/AVP 107\r\na=rtpmap:107 vnd.onvif.metadata/90000',
      ...named('trackID=2'),
      '',
    ].join('\r\n');
  }

  /** The headers of a refusal, or undefined when the request carries the right answer. */
  #challenge(request: RtspRequest, auth: FakeAuth): string[] | undefined {
    const answer = header(request, 'authorization') ?? '';
    if (auth.scheme === 'basic') {
      const right = `Basic ${Buffer.from(`${auth.user}:${auth.password}`).toString('base64')}`;
      return answer === right ? undefined : [`WWW-Authenticate: Basic realm="${realm}"`];
    }
    // A client whose connection is closed with the challenge must use it on the next one.
    if (this.#options.closesAfterRefusal) this.#nonce = nonces.get(this.#options) ?? '';
    const isRight = this.#nonce !== '' && isRightDigest(answer, request.method, this.#nonce, auth);
    const isStale = isRight && auth.nonceUses !== undefined && this.#nonceUses >= auth.nonceUses;
    if (isRight && !isStale) {
      this.#nonceUses++;
      return undefined;
    }
    this.#nonce = `nonce${++this.#nonces}`;
    this.#nonceUses = 0;
    nonces.set(this.#options, this.#nonce);
    const qop = auth.hasQop ? ', qop="auth"' : '';
    return (auth.algorithms ?? ['MD5']).map(
      (name) =>
        `WWW-Authenticate: Digest realm="${realm}", nonce="${this.#nonce}", algorithm=${name}${qop}` +
        (isStale ? ', stale=true' : ''),
    );
  }

  /**
   * Scheduled by the clock, not by ticks: a delay on a busy machine is made up for, otherwise the camera's time
   * would fall behind ours.
   */
  #play(paceMs: number): void {
    const { isShared, lagMs, frameNow } = this.#options;
    const startMs = isShared ? this.#on.begin() + (lagMs?.(this.#number) ?? 0) : performance.now();
    let sent = isShared ? Math.max(0, Math.round((performance.now() - startMs) / paceMs)) : 0;
    this.#frame = frameNow?.() ?? (isShared ? sent : this.#frame);
    this.#on.plays(this.#frame);
    this.#sendDue = () => {
      // Rounded: a timer that fires half a millisecond early must not leave its frame to the next turn.
      const due = Math.round((performance.now() - startMs) / Math.max(paceMs, 1));
      for (; sent < due && !this.#socket.destroyed; sent++) this.#send();
    };
    this.#timer = setInterval(() => this.#sendDue(), paceMs);
  }

  /** One video frame, and the audio that belongs to it. */
  #send(): void {
    const { clip, change, dropAfter, stallAfter, goodbyeAfter, audio, frames, shows } = this.#options;
    const index = this.#frame++;
    this.#on.picture(index);
    if (index === dropAfter) {
      this.close();
    } else if (index === goodbyeAfter) {
      this.#write(rtcpGoodbye((this.#options.firstChannel ?? 0) + 1));
    } else if (
      index < (stallAfter ?? Infinity) &&
      index < (goodbyeAfter ?? Infinity) &&
      index < (frames ?? Infinity)
    ) {
      const isChanged = change !== undefined && index >= change.at && index < (change.until ?? Infinity);
      const clipIndex = isChanged ? index - change.at : index;
      if (shows?.(index, this.#number) ?? true)
        this.#sendFrame(isChanged ? change.clip : clip, clipIndex, index);
      if (audio === 'pcmu') this.#sendAudio();
    }
  }

  #sendFrame(clip: CameraClip, clipIndex: number, index: number): void {
    const {
      parameters = 'both',
      markers = 'last',
      jump,
      loses,
      firstTimestamp = 0,
      firstChannel = 0,
      payloadType,
      companionType,
      foreignChannel,
      keysOnRequest,
    } = this.#options;
    if (!this.#isFrameWanted) return;
    const played = keysOnRequest ? this.#playOnRequest(clip) : clipIndex;
    const frame = clip.frames[played % clip.frames.length];
    if (!frame) return;
    const hasParameters = frame.isKey && parameters !== 'described';
    const nals = hasParameters ? [...parameterSets(clip), ...frame.nals] : frame.nals;
    const numbered = this.#options.isNumbered ? [numberNal(index), ...nals] : nals;
    const payloads = videoPayloads(numbered, clip.codec);
    const ticks = Math.round((index * videoClock * (this.#options.clockSpeed ?? 1)) / clip.framesPerSecond);
    const later = this.#number === 0 ? 0 : (this.#options.laterTimestamps ?? 0);
    const timestamp = firstTimestamp + later + ticks + (jump && index >= jump.at ? jump.ticks : 0);
    payloads.forEach((payload, position) => {
      const isMarker = markers === 'all' || (markers === 'last' && position === payloads.length - 1);
      const fields = {
        channel: firstChannel,
        payloadType: payloadType?.(index) ?? 96,
        isMarker,
        sequence: this.#sequence++,
        timestamp,
      };
      if (!loses?.(index, position)) this.#write(interleavedRtp(fields, payload));
    });
    if (foreignChannel !== undefined) this.#sendForeign(foreignChannel, timestamp);
    if (companionType === undefined) return;
    const fields = { channel: firstChannel, isMarker: false, timestamp, sequence: this.#sequence++ };
    this.#write(interleavedRtp({ ...fields, payloadType: companionType }, Buffer.alloc(100, 0x41)));
  }

  /** Data that belongs to no track, but contains what looks like packets of one. */
  #sendForeign(channel: number, timestamp: number): void {
    const inside = { channel: 0, payloadType: 96, isMarker: true, sequence: 7, timestamp };
    const fields = { channel, payloadType: 98, isMarker: true, timestamp, sequence: this.#frame };
    this.#write(interleavedRtp(fields, interleavedRtp(inside, Buffer.alloc(300, 0x41))));
  }

  /** The clip from its second frame on, and its key frame when one was requested. */
  #playOnRequest(clip: CameraClip): number {
    const isKey = this.#isKeyWanted;
    this.#isKeyWanted = false;
    this.#sinceKey = isKey ? 0 : (this.#sinceKey % (firstGop(clip) - 1)) + 1;
    return this.#sinceKey;
  }

  #sendAudio(): void {
    const { clip, firstChannel = 0 } = this.#options;
    const due = Math.floor((this.#frame * 8000) / clip.framesPerSecond / audioTicks);
    for (; this.#audioSequence < due; this.#audioSequence++) {
      const timestamp = this.#audioSequence * audioTicks;
      const fields = { channel: firstChannel + 2, payloadType: 0, isMarker: false, timestamp };
      const silence = Buffer.alloc(audioTicks, 0xff);
      this.#write(interleavedRtp({ ...fields, sequence: this.#audioSequence }, silence));
    }
  }
}

/** An SEI with unregistered user data (H.264, D.1.6): 16 bytes of mark and 8 of number. */
function numberNal(index: number): Buffer {
  const text = `${numberMark}${index.toString(16).padStart(8, '0')}`;
  return Buffer.concat([Buffer.from([0x06, 5, text.length]), Buffer.from(text), Buffer.from([0x80])]);
}

function originOf(uri: string): string {
  return /^rtsps?:\/\/([^/?]*)/.exec(uri)?.[1] ?? '';
}

/** Frames of the first group. */
function firstGop(clip: CameraClip): number {
  return clip.frames.findIndex(({ isKey }, index) => index > 0 && isKey);
}

/** A BYE of the video's sender (RFC 3550, 6.6). */
function rtcpGoodbye(channel: number): Buffer {
  return Buffer.from([0x24, channel, 0, 8, 0x81, 203, 0, 1, 0, 0, 0x5e, 0xed]);
}

function isRightDigest(answer: string, method: string, nonce: string, auth: FakeAuth): boolean {
  const field = (name: string) => new RegExp(`[ ,]${name}="?([^",]*)"?`).exec(answer)?.[1] ?? '';
  if (!answer.startsWith('Digest ') || field('nonce') !== nonce || field('username') !== auth.user)
    return false;
  const name = field('algorithm').toUpperCase() === 'SHA-256' ? 'sha256' : 'md5';
  const hash = (text: string) => createHash(name).update(text).digest('hex');
  const a1 = hash(`${auth.user}:${realm}:${auth.password}`);
  const a2 = hash(`${method}:${field('uri')}`);
  const middle = auth.hasQop ? `${nonce}:${field('nc')}:${field('cnonce')}:auth` : nonce;
  return field('response') === hash(`${a1}:${middle}:${a2}`);
}
