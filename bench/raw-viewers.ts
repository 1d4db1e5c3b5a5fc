/**
 * Viewers of live video that count bytes and do nothing else, in a process of their own: reads one line `URL COOKIE UIDS COUNT`, where
 * UIDS is a comma-separated list over which COUNT viewers are spread, and prints how many bytes have arrived since the
 * start, once a second.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { createInterface } from 'node:readline/promises';
import { addressOf } from '@vidette/contract/routes';

const input = createInterface({ input: process.stdin });
const [text = '', cookie = '', list = '', count = '0'] = (await input.question('')).split(' ');
input.close();
const url = new URL(text);
const uids = list.split(',');
let bytes = 0;
for (let index = 0; index < Number(count); index++) {
  const socket = connect(Number(url.port), url.hostname);
  const uid = uids[index % uids.length] ?? '';
  socket.write(
    [
      `GET ${addressOf('watchStream', { uid }, {})} HTTP/1.1`,
      ...[`host: ${url.host}`, `origin: ${url.origin}`, `cookie: ${cookie}`],
      ...['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'],
      `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
      '\r\n',
    ].join('\r\n'),
  );
  socket.on('data', (chunk) => (bytes += chunk.length));
  socket.on('error', () => process.exit(1));
}
setInterval(() => console.log(String(bytes)), 1_000);
