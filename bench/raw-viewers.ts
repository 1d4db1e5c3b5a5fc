/**
 * Viewers of live video that count bytes and do nothing else, in a process of their own: reads one line of JSON, a `ViewersOrder`, and prints
 * how many bytes have arrived since the start, once a second.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline/promises';

/** The viewers are spread over the addresses, which are `ws:` or `rtsp:`. */
export interface ViewersOrder {
  readonly urls: readonly string[];
  readonly count: number;
  /** Of the upgrade. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text message to begin with. */
  readonly first?: string;
}

const input = createInterface({ input: process.stdin });
const { urls, count, headers = {}, first } = JSON.parse(await input.question('')) as ViewersOrder;
input.close();
let bytes = 0;
for (let index = 0; index < count; index++) {
  const url = new URL(urls[index % urls.length] ?? '');
  const socket = connect(Number(url.port), url.hostname);
  socket.on('data', (chunk) => (bytes += chunk.length));
  socket.on('error', () => process.exit(1));
  if (url.protocol === 'rtsp:') playRtsp(socket, url);
  else upgrade(socket, url);
}
setInterval(() => console.log(String(bytes)), 1_000);

function upgrade(socket: Socket, url: URL): void {
  socket.write(
    [
      `GET ${url.pathname}${url.search} HTTP/1.1`,
      `host: ${url.host}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'],
      `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
      '\r\n',
    ].join('\r\n'),
  );
  if (first !== undefined) socket.once('data', () => socket.write(textFrame(first)));
}

/** A masked text message of less than 126 bytes (RFC 6455, 5.2); a mask of zeros changes nothing. */
function textFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | Buffer.byteLength(text), 0, 0, 0, 0]), Buffer.from(text)]);
}

/** DESCRIBE, SETUP of all media, PLAY (RFC 2326, 10), each after the reply to the one before. */
function playRtsp(socket: Socket, url: URL): void {
  const base = url.href;
  let sequence = 0;
  let session = '';
  let controls: string[] | undefined;
  let media = 0;
  const ask = (method: string, uri: string, ...more: string[]) =>
    socket.write([`${method} ${uri} RTSP/1.0`, `CSeq: ${++sequence}`, ...more, '\r\n'].join('\r\n'));
  const take = (chunk: Buffer) => {
    const text = chunk.toString('latin1');
    controls ??= [...text.matchAll(/\nm=[^]*?a=control:(\S+)/g)].map(([, control = '']) =>
      control.startsWith('rtsp:') ? control : `${base}/${control}`,
    );
    session ||= /\nSession: ([^;\r]+)/i.exec(text)?.[1] ?? '';
    const inSession = session === '' ? [] : [`Session: ${session}`];
    const control = controls[media];
    if (control !== undefined) {
      const channels = `${2 * media}-${2 * media++ + 1}`;
      ask('SETUP', control, `Transport: RTP/AVP/TCP;unicast;interleaved=${channels}`, ...inSession);
      return;
    }
    socket.off('data', take);
    ask('PLAY', base, ...inSession);
  };
  socket.on('data', take);
  ask('DESCRIBE', base, 'Accept: application/sdp');
}
