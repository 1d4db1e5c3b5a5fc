import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
  type ECDH,
} from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { PushMessage, TargetSettings } from '@vidette/contract/notifications';
import { systemClock } from '../base/clock.ts';
import { selfSigned } from '../system/smtp-fixture.ts';

// The other side of Web Push: a browser's keys, and a push service that forwards nothing.

interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The encrypted message. */
  readonly body: Buffer;
  /** When it arrived, ms since the epoch. */
  readonly atMs: number;
}

export interface PushService {
  /** The address of its subscriptions. */
  readonly url: string;
  /** PEM; who trusts it trusts the service. */
  readonly certificate: string;
  readonly received: readonly ReceivedPush[];
  /** Of the next responses. */
  answer: { status: number; headers?: Record<string, string> };
  stop(): Promise<void>;
}

/** A push service on loopback, with a certificate of its own. */
export async function startPushService(): Promise<PushService> {
  const { key, certificate } = selfSigned();
  const received: ReceivedPush[] = [];
  const server = createServer({ key, cert: certificate }, (request, response) => {
    void buffer(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body, atMs: systemClock.wallMs() });
      response.writeHead(service.answer.status, service.answer.headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: PushService = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/send/`,
    certificate,
    received,
    answer: { status: 201 },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

/** A browser that subscribed. */
export class PushBrowser {
  readonly settings: Extract<TargetSettings, { type: 'push' }>;
  readonly #pair: ECDH = createECDH('prime256v1');
  readonly #auth = randomBytes(16);

  constructor(endpoint: string) {
    this.#pair.generateKeys();
    const keys = { p256dh: this.#pair.getPublicKey('base64url'), auth: this.#auth.toString('base64url') };
    this.settings = { type: 'push', endpoint, keys, quietHours: null };
  }

  /** Decrypts one record of aes128gcm (RFC 8188) with the keys of RFC 8291. @throws if it is not for this browser */
  read(body: Buffer): PushMessage {
    const salt = body.subarray(0, 16);
    const keyLength = body.readUInt8(20);
    const sender = body.subarray(21, 21 + keyLength);
    const sealed = body.subarray(21 + keyLength);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#pair.getPublicKey(), sender]);
    const secret = hkdfSync('sha256', this.#pair.computeSecret(sender), this.#auth, info, 32);
    const derive = (name: string, length: number) =>
      Buffer.from(hkdfSync('sha256', Buffer.from(secret), salt, `Content-Encoding: ${name}\0`, length));
    const cipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    cipher.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString('utf8')) as PushMessage;
  }
}

/** The claims of a `vapid` authorization, with the key that signed them (RFC 8292). @throws if it is not valid */
export function vapidClaims(authorization: string): { aud: string; exp: number; sub: string; key: string } {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = createPublicKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' },
  });
  const signed = Buffer.from(`${head}.${claims}`);
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' as const };
  if (!verify('sha256', signed, options, Buffer.from(signature, 'base64url'))) {
    throw new Error('The token is not signed by its key');
  }
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    aud: string;
    exp: number;
    sub: string;
  };
  return { ...read, key };
}
