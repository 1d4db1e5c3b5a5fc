import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '../../server/src/base/clock.ts';
import { Gateway } from './gateway.ts';

/** How a store fails: it accepts requests and is silent, stops in a body, or answers with an error. */
export type StoreFailure = 'silent' | 'stops' | 'internal-error' | 'unavailable' | 'slow-down';

const errors: Readonly<Partial<Record<StoreFailure, readonly [number, string]>>> = {
  'internal-error': [500, 'InternalError'],
  unavailable: [503, 'ServiceUnavailable'],
  'slow-down': [503, 'SlowDown'],
};

/** Bytes of a body after which it stops. */
const stopAtBytes = 4_096;

/** A gateway in front of a store that fails as configured. Other data is forwarded unchanged. */
export class SlowGateway extends Gateway {
  /** Undefined: everything works. */
  failure: StoreFailure | undefined;
  /** Delay of each answer, ms. */
  delayMs = 0;

  /** @param port of the store, on loopback */
  static start(port: number): Promise<SlowGateway> {
    return new SlowGateway(port).listen();
  }

  protected async pass(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { failure } = this;
    if (failure === 'silent') return;
    const [status, code] = (failure && errors[failure]) ?? [];
    if (status !== undefined) {
      incoming.resume();
      reply.writeHead(status, { 'content-type': 'application/xml' });
      reply.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Later.</Message></Error>`);
      return;
    }
    const answer = await this.ask(incoming);
    if (this.delayMs > 0) {
      await new Promise<void>((resolve) => void systemClock.after(this.delayMs, resolve));
    }
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    if (failure !== 'stops' || incoming.method !== 'GET') {
      answer.pipe(reply);
      return;
    }
    let bytes = 0;
    for await (const chunk of answer) {
      const piece = (chunk as Buffer).subarray(0, stopAtBytes - bytes);
      bytes += piece.length;
      reply.write(piece);
      if (bytes >= stopAtBytes) return;
    }
  }
}
