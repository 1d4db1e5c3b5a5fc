import fc from 'fast-check';
import { z } from 'zod';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf, textOf } from '../api.ts';
import { signIn, startServer, type TestServer } from '../server.ts';
import { requestArbitrary, type KnownValues, type Operation, type WireRequest } from './request-arbitrary.ts';

/** The parts of the server's OpenAPI document that the fuzzer needs. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface FuzzReport {
  readonly requests: number;
  /** Number of answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Calls that succeeded at least once, and the number of all calls. */
  readonly succeeded: ReadonlySet<string>;
  readonly calls: number;
  /** The calls that never succeeded. */
  readonly neverSucceeded: readonly string[];
  /** The violations, each with the request that shows it; at most 50. */
  readonly failures: readonly string[];
  /** Error lines of the server's log; at most 20. */
  readonly errorLines: readonly string[];
  /** Memory of the server after each tenth of the requests, MB. */
  readonly memoryMB: readonly number[];
}

const streamsKept = 12;
const usersKept = 12;
const answerTimeoutMs = 30_000;

/**
 * Sends `count` requests, generated from the server's own OpenAPI document, as users of every kind, several at
 * a time, and checks each answer against that document. `memoryOf` reads the server's memory, MB.
 */
export async function fuzz(options: {
  count: number;
  seed: number;
  memoryOf: (server: TestServer) => number | Promise<number>;
  /** The OpenAPI document of the server, in full. */
  env?: Record<string, string>;
  onProgress?: (sent: number) => void;
}): Promise<FuzzReport> {
  const server = await startServer({ env: { ...options.env, VIDETTE_SOURCE_PROBE_SECONDS: '1' } });
  try {
    return await new Fuzzer(server, options).run();
  } finally {
    await server.stop();
  }
}

class Fuzzer {
  readonly #server: TestServer;
  readonly #options: Parameters<typeof fuzz>[0];
  readonly #statuses = new Map<number, number>();
  readonly #succeeded = new Set<string>();
  readonly #failures: string[] = [];
  readonly #memoryMB: number[] = [];
  readonly #replies = new Map<string, z.ZodType>();
  readonly #headers: Record<string, string>[] = [];

  constructor(server: TestServer, options: Parameters<typeof fuzz>[0]) {
    this.#server = server;
    this.#options = options;
  }

  async run(): Promise<FuzzReport> {
    const { count, seed, memoryOf, onProgress } = this.#options;
    const { client: admin, cookie } = await administratorOf(this.#server);
    const known = await this.#seed(admin, cookie);
    const document = (await admin.getOpenApi()) as unknown as Document;
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        operation,
        arbitrary: requestArbitrary(method, path, operation, known),
      })),
    );
    const steps = 10;
    const perCall = Math.ceil(count / steps / operations.length);
    let sent = 0;
    for (let step = 0; step < steps && sent < count; step++) {
      const queue = operations.flatMap(({ operation, arbitrary }, index) =>
        fc
          .sample(arbitrary, { seed: seed + step * operations.length + index, numRuns: perCall })
          .map((request, turn) => ({ operation, request, turn })),
      );
      // Consecutive calls differ, so that they run concurrently with each other's unfinished work.
      queue.sort((a, b) => a.turn - b.turn);
      const take = queue.slice(0, count - sent).values();
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (const { operation, request, turn } of take)
            await this.#send(operation, request, 7 * turn + 5 * step);
        }),
      );
      sent = Math.min(count, sent + queue.length);
      await this.#tidy(admin, known);
      this.#memoryMB.push(await memoryOf(this.#server));
      onProgress?.(sent);
    }
    return {
      requests: sent,
      statuses: this.#statuses,
      succeeded: this.#succeeded,
      calls: operations.length,
      neverSucceeded: operations
        .map(({ operation }) => operation.operationId)
        .filter((name) => !this.#succeeded.has(name)),
      failures: this.#failures,
      errorLines: this.#server.output
        .split('\n')
        .filter((line) => line.includes('"level":50'))
        .slice(0, 20),
      memoryMB: this.#memoryMB,
    };
  }

  /** Users, streams, marks and mosaics for the requests to name; the senders are not among them. */
  async #seed(admin: Client, adminCookie: string): Promise<KnownValues> {
    const password = 'seven blue kettles';
    const cookies = [adminCookie];
    for (const [name, maxStreamCreation] of [
      ['sender.regular', 1_000],
      ['sender.readonly', 0],
    ] as const) {
      await admin.addUser({ body: { name, password, maxStreamCreation } });
      cookies.push(await signIn(this.#server, name, password));
    }
    const logins = ['target.a', 'target.b', 'target.c'];
    for (const name of logins) await admin.addUser({ body: { name, password } });
    // Two for each sender that makes changes, one of which no other user may see.
    const regular = clientOf(this.#server, cookies[1] ?? '');
    const source = 'rtsp://127.0.0.1:1/none';
    const uids: string[] = [];
    for (const owner of [admin, admin, regular, regular]) {
      const archive = { isEnable: false };
      const body = {
        name: `Target ${uids.length}`,
        streamSource: 'udp://:9',
        archive,
        live: { onDemand: true },
      };
      const { uid } = await owner.addStream({ body });
      uids.push(uid);
      await owner.addBookmark({ body: { stream: uid, startTime: 1_000 } });
      await owner.addAnnotation({ body: { streamId: uid, time: 1_000, timeEnd: 2_000 } });
      const cells = [{ x: 0, y: 0, width: 1, height: 1, stream: uid }];
      await owner.addMosaic({ body: { name: 'Wall', layout: { columns: 1, rows: 1, cells } } });
    }
    for (const cookie of cookies) {
      this.#headers.push({ cookie }, { cookie }, { cookie, origin: this.#server.url }, { cookie });
    }
    this.#headers.push(
      {},
      { cookie: 'vidette_session=%00' },
      { cookie: `${adminCookie.slice(0, -1)}` },
      { authorization: 'Bearer x' },
      { authorization: `Bearer ${'A'.repeat(43)}` },
      { cookie: adminCookie, origin: 'https://elsewhere.example' },
    );
    return {
      uid: uids,
      stream: uids,
      streamId: uids,
      stream_id: uids,
      login: logins,
      user: logins,
      id: [1, 2, 3, 4, 5],
      file: ['index.m3u8', '1.mp4', 'init.mp4'],
      streamSource: [source, 'rtsp://user:word@127.0.0.1:1/none', 'udp://:9', 'demo', 'file:///etc/passwd'],
      subStreamSource: [source, null],
      url: [source, 'file:///etc/passwd', 'gopher://127.0.0.1/', 'concat:a|b'],
      password: [password],
      oldPassword: [password],
      name: logins,
      kind: ['motion'],
      note: ['seen'],
      time: [1_000],
      timeEnd: [2_000, null],
      start_time: [0, 1_000, 3_600_000],
      end_time: [1_000, 3_600_000, 7_200_000],
    };
  }

  async #send(operation: Operation, request: WireRequest, turn: number): Promise<void> {
    // Calls that end sessions are sent anonymously: a signed-in sender would lose its cookie.
    const endsSession = ['signOut', 'terminateSessions'].includes(operation.operationId);
    const sender = endsSession ? {} : this.#headers[turn % this.#headers.length];
    let answer: { status: number; type: string; text: string };
    try {
      const response = await fetch(this.#server.url + request.path, {
        method: request.method,
        headers: { ...sender, ...request.headers },
        ...(request.body === undefined ? {} : { body: request.body }),
        signal: AbortSignal.timeout(answerTimeoutMs),
      });
      const type = response.headers.get('content-type')?.split(';')[0] ?? '';
      answer = { status: response.status, type, text: await textOf(response) };
    } catch (error) {
      this.#fail(operation, request, `no answer: ${String((error as Error).cause ?? error)}`);
      return;
    }
    this.#statuses.set(answer.status, (this.#statuses.get(answer.status) ?? 0) + 1);
    if (answer.status < 300) this.#succeeded.add(operation.operationId);
    const wrong = this.#judge(operation, answer);
    if (wrong !== undefined) this.#fail(operation, request, wrong);
  }

  /** The part of an answer that violates the document; undefined if there is none. */
  #judge(
    operation: Operation,
    { status, type, text }: { status: number; type: string; text: string },
  ): string | undefined {
    const declared = operation.responses[status];
    if (!declared) return `status ${status} is not in the document: ${text.slice(0, 200)}`;
    if (status === 500) return `an error of the server: ${text.slice(0, 200)}`;
    const content = declared.content?.[type];
    if (!content) return `type ${type} is not in the document for ${status}`;
    if (type !== 'application/json') return undefined;
    const body = JSON.parse(text) as { code?: string };
    if (status >= 400) {
      const isDeclared = body.code !== undefined && declared.description.includes(`\`${body.code}\``);
      return isDeclared ? undefined : `code ${body.code} is not in the document for ${status}`;
    }
    const key = operation.operationId;
    const schema = this.#replies.get(key) ?? z.fromJSONSchema(content.schema as z.core.JSONSchema.JSONSchema);
    this.#replies.set(key, schema);
    const checked = schema.safeParse(body);
    return checked.success
      ? undefined
      : `the answer does not match its schema: ${z.prettifyError(checked.error)}`;
  }

  #fail(operation: Operation, request: WireRequest, what: string): void {
    if (this.#failures.length >= 50) return;
    const body = request.body === undefined ? '' : ` ${request.body.slice(0, 500)}`;
    this.#failures.push(
      `${operation.operationId}: ${what}\n    ${request.method} ${request.path.slice(0, 500)}${body}`,
    );
  }

  /** Removes the objects that the requests made, so that the server's work stays the same from beginning to end. */
  async #tidy(admin: Client, known: KnownValues): Promise<void> {
    const { items: streams } = await admin.listStreams({ query: { pageSize: 500, sortType: 'createdAt' } });
    for (const { uid } of streams.slice(streamsKept)) await admin.deleteStream({ params: { uid } });
    const { items: users } = await admin.listUsers({ query: { pageSize: 500, sortType: 'createdAt' } });
    for (const { name, isAdmin } of users.slice(usersKept)) {
      if (!isAdmin) await admin.deleteUser({ params: { login: name } });
    }
    for (const name of known['login'] as string[]) {
      if (users.some((user) => user.name === name)) continue;
      await admin.addUser({ body: { name, password: 'seven blue kettles' } });
    }
  }
}
