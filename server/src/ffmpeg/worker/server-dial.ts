import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Fault } from '../../base/fault.ts';
import type { Dial } from '../../dial/dial.ts';
import type { DialReply, DialRequest } from '../dial-protocol.ts';

/** Requests connections from the server, which decides what a job may connect to (`../dial-protocol.ts`). */
export class ServerDial {
  readonly #send: (request: DialRequest) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<Socket>>();
  #last = 0;

  constructor(send: (request: DialRequest) => void) {
    this.#send = send;
  }

  /** The dialler of one job. TLS is handled here: the server passes on the plain connection. */
  of(job: number): Dial {
    return async (host, port, tls, signal) => {
      const socket = await this.#ask({ dial: ++this.#last, job, host, port });
      if (signal?.aborted) {
        socket.destroy();
        throw signal.reason;
      }
      return tls ? await overTls(socket, host) : socket;
    };
  }

  /** The server's answer. */
  take({ dialled, failure }: DialReply, socket: Socket | undefined): void {
    const waiting = this.#waiting.get(dialled);
    this.#waiting.delete(dialled);
    if (failure || !socket) {
      waiting?.reject(
        new Fault(failure?.code ?? 'EHOSTUNREACH', failure?.message ?? 'The connection was lost.'),
      );
    } else if (waiting) waiting.resolve(socket);
    else socket.destroy();
  }

  #ask(request: DialRequest): Promise<Socket> {
    const answer = Promise.withResolvers<Socket>();
    this.#waiting.set(request.dial, answer);
    this.#send(request);
    return answer.promise;
  }
}

/** Cameras have self-signed certificates: here TLS encrypts the traffic, but proves no identity. */
function overTls(socket: Socket, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) ? {} : { servername: host };
    const wrapped = connectTls({ socket, rejectUnauthorized: false, ...servername });
    const onError = (cause: Error) =>
      reject(new Fault('EHOSTUNREACH', 'The source and this server could not agree on TLS.', { cause }));
    wrapped.once('error', onError);
    wrapped.once('secureConnect', () => {
      wrapped.off('error', onError);
      resolve(wrapped);
    });
  });
}
