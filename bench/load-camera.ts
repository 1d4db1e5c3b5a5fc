/**
 * A process that simulates many RTSP cameras over TCP from one encoded loop, cheaply and with exact counts:
 * every session gets exactly the requested number of frames, at the rate of a camera, and is then closed.
 *
 *   node bench/load-camera.ts KBIT_PER_SECOND FRAMES_PER_SESSION [GOP_SECONDS=1] [GOP_SECONDS=1] [video]
 *
 * With `video` the cameras have no audio, for benches with a thousand of them: each packet of audio is a write of its own.
 * Prints `{"port": N}` once it listens, `{"path": ..., "beganMs": N}` (wall clock) when a session begins, and
 * `{"path": ..., "frames": N}` at its end.
 */
import { createServer, type Socket } from 'node:net';
import { audioRate, framesPerSecond, loadMedia, type LoadMedia } from './load-media.ts';

const videoClock = 90_000;
const samplesPerAudio = 1024;
const maxPayload = 1400;
const audioDescription = [
  'm=audio 0 RTP/AVP 97',
  `a=rtpmap:97 mpeg4-generic/${audioRate}/2`,
  'a=fmtp:97 streamtype=5;mode=AAC-hbr;config=1190;sizelength=13;indexlength=3;indexdeltalength=3',
  'a=control:trackID=2',
];

/**
 * One video or audio frame as interleaved RTP (RFC 2326, 10.12), with placeholders for sequence number and
 * timestamp.
 */
interface Template {
  readonly bytes: Buffer;
  /** Offsets of the RTP headers in `bytes`. */
  readonly headers: readonly number[];
}

const [kbit, framesPerSession, gopSeconds = 1] = process.argv.slice(2).map(Number);
if (!kbit || !framesPerSession) throw new Error('load-camera.ts KBIT_PER_SECOND FRAMES_PER_SESSION');

const hasAudio = process.argv[5] !== 'video';
const media = loadMedia(kbit, gopSeconds);
const frames = media.frames.map((nals) => frameTemplate(nals));
const audios = media.audios.map((audio) => audioTemplate(audio));
const sessions = new Set<Session>();
/** Paths whose frames have been sent: a recorder that reconnects would falsify the count. */
const played = new Set<string>();

/** One PLAYing client. */
class Session {
  readonly #socket: Socket;
  readonly #path: string;
  readonly #startMs = performance.now();
  #frame = 0;
  #audio = 0;
  #videoSequence = 0;
  #audioSequence = 0;

  constructor(socket: Socket, path: string) {
    this.#socket = socket;
    this.#path = path;
  }

  /** Sends all frames that are due. Ends the session after its last frame. */
  send(nowMs: number): void {
    const elapsedS = (nowMs - this.#startMs) / 1000;
    while (this.#frame <= elapsedS * framesPerSecond && this.#frame < (framesPerSession ?? 0)) {
      const template = at(frames, this.#frame);
      const time = Math.round((this.#frame * videoClock) / framesPerSecond);
      this.#socket.write(stamped(template, this.#videoSequence, time));
      this.#videoSequence += template.headers.length;
      this.#frame++;
    }
    while (hasAudio && (this.#audio * samplesPerAudio) / audioRate <= (this.#frame - 1) / framesPerSecond) {
      const template = at(audios, this.#audio);
      this.#socket.write(stamped(template, this.#audioSequence, this.#audio * samplesPerAudio));
      this.#audioSequence++;
      this.#audio++;
    }
    if (this.#frame === framesPerSession) {
      sessions.delete(this);
      played.add(this.#path);
      this.#socket.end();
      process.stdout.write(`${JSON.stringify({ path: this.#path, frames: this.#frame })}\n`);
    }
  }
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  let session: Session | undefined;
  let pending = '';
  socket.on('error', () => socket.destroy());
  socket.on('close', () => session && sessions.delete(session));
  socket.on('data', (chunk) => {
    // After PLAY the client sends RTCP too; only requests matter here, and they start at a line.
    pending += chunk.toString('latin1');
    for (;;) {
      const start = pending.search(/(OPTIONS|DESCRIBE|SETUP|PLAY|TEARDOWN|GET_PARAMETER) rtsp:/);
      const end = pending.indexOf('\r\n\r\n', start);
      if (start === -1 || end === -1) return;
      const request = pending.slice(start, end);
      pending = pending.slice(end + 4);
      const path = new URL(/ (\S+) /.exec(request)?.[1] ?? '').pathname;
      if (played.has(path)) {
        socket.end(`RTSP/1.0 404 Not Found\r\nCSeq: ${/CSeq: *(\d+)/i.exec(request)?.[1] ?? '0'}\r\n\r\n`);
        return;
      }
      answer(socket, request);
      if (request.startsWith('PLAY')) {
        sessions.add((session = new Session(socket, path)));
        process.stdout.write(`${JSON.stringify({ path, beganMs: Date.now() })}\n`);
      }
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
setInterval(() => {
  const nowMs = performance.now();
  for (const session of sessions) session.send(nowMs);
}, 10);

function answer(socket: Socket, request: string): void {
  const cseq = /CSeq: *(\d+)/i.exec(request)?.[1] ?? '0';
  const lines = [`RTSP/1.0 200 OK`, `CSeq: ${cseq}`];
  let body = '';
  if (request.startsWith('OPTIONS'))
    lines.push('Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER');
  if (request.startsWith('DESCRIBE')) {
    body = description(media);
    lines.push('Content-Type: application/sdp', `Content-Length: ${Buffer.byteLength(body)}`);
  }
  if (request.startsWith('SETUP')) {
    const channels = /trackID=2/.test(request) ? '2-3' : '0-1';
    lines.push(`Transport: RTP/AVP/TCP;unicast;interleaved=${channels}`);
  }
  if (!/^(OPTIONS|DESCRIBE)/.test(request)) lines.push('Session: 1;timeout=60');
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function description({ sps, pps }: LoadMedia): string {
  const sets = `${sps.toString('base64')},${pps.toString('base64')}`;
  return [
    'v=0',
    'o=- 0 0 IN IP4 127.0.0.1',
    's=load',
    't=0 0',
    'm=video 0 RTP/AVP 96',
    `a=rtpmap:96 H264/${videoClock}`,
    `a=fmtp:96 packetization-mode=1;sprop-parameter-sets=${sets}`,
    'a=control:trackID=1',
    ...(hasAudio ? audioDescription : []),
    '',
  ].join('\r\n');
}

/** RFC 6184: single NAL unit packets, and FU-A for what doesn't fit. */
function frameTemplate(nals: readonly Buffer[]): Template {
  const payloads = nals.flatMap((nal) => (nal.length <= maxPayload ? [nal] : fragmented(nal)));
  return template(payloads, 0, 96);
}

function fragmented(nal: Buffer): Buffer[] {
  const first = nal[0] ?? 0;
  const parts: Buffer[] = [];
  for (let from = 1; from < nal.length; from += maxPayload - 2) {
    const part = nal.subarray(from, from + maxPayload - 2);
    const start = from === 1 ? 0x80 : 0;
    const end = from + part.length === nal.length ? 0x40 : 0;
    parts.push(Buffer.concat([Buffer.from([(first & 0xe0) | 28, start | end | (first & 0x1f)]), part]));
  }
  return parts;
}

/** RFC 3640, AAC-hbr: one access unit per packet. */
function audioTemplate(audio: Buffer): Template {
  const header = Buffer.from([0, 16, audio.length >> 5, (audio.length & 0x1f) << 3]);
  return template([Buffer.concat([header, audio])], 2, 97);
}

function template(payloads: readonly Buffer[], channel: number, payloadType: number): Template {
  const parts: Buffer[] = [];
  const headers: number[] = [];
  let length = 0;
  payloads.forEach((payload, index) => {
    const header = Buffer.alloc(16);
    header[0] = 0x24;
    header[1] = channel;
    header.writeUInt16BE(payload.length + 12, 2);
    header[4] = 0x80;
    header[5] = payloadType | (index === payloads.length - 1 ? 0x80 : 0);
    header.writeUInt32BE(0x5eed, 12);
    headers.push(length + 4);
    parts.push(header, payload);
    length += 16 + payload.length;
  });
  return { bytes: Buffer.concat(parts), headers };
}

function stamped(source: Template, sequence: number, time: number): Buffer {
  const bytes = Buffer.from(source.bytes);
  source.headers.forEach((offset, index) => {
    bytes.writeUInt16BE((sequence + index) & 0xffff, offset + 2);
    bytes.writeUInt32BE(time >>> 0, offset + 4);
  });
  return bytes;
}

function at(templates: readonly Template[], index: number): Template {
  const found = templates[index % templates.length];
  if (!found) throw new Error('The loop is empty');
  return found;
}
