import { ApiError, createClient, type Client } from '@vidette/contract/client';
import { setUp, type TestServer } from './server.ts';

/** The contract's client, signed in with a session cookie like a browser. */
export function clientOf(server: TestServer, cookie: string): Client {
  return createClient({ baseUrl: server.url, headers: () => ({ cookie, origin: server.url }) });
}

/** Creates the first administrator and returns a client signed in as that user. */
export async function administratorOf(server: TestServer): Promise<{ client: Client; cookie: string }> {
  const cookie = await setUp(server);
  return { client: clientOf(server, cookie), cookie };
}

/** The body of a response; of an event stream, which has no end, only what comes first. */
export async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

/** Repeats a request until `accept` accepts the answer. Rejects after `timeoutMs` with the last answer seen. */
export async function until<T>(
  ask: () => Promise<T> | T,
  accept: (answer: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (accept(answer)) return answer;
    if (Date.now() > endMs) throw new Error(`still ${JSON.stringify(answer)} after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Answers of a server that has no snapshot to show yet. */
const noSnapshotYet: readonly string[] = ['Unavailable', 'SERVER_NOT_RESPONSE_ERR', 'ServerOverloaded'];

/**
 * A snapshot of a running stream, requested until there is one: the process that renders it has the lowest priority of
 * all, and on a busy machine its first one is late.
 */
export async function snapshotOf(
  client: Client,
  uid: string,
  query: { readonly width?: number } = {},
): Promise<Response> {
  const ask = () =>
    client.getStreamPicture({ params: { uid }, query }).catch((error: unknown) => {
      if (error instanceof ApiError && noSnapshotYet.includes(error.code)) return error.code;
      throw error;
    });
  const answer = await until(ask, (found) => typeof found !== 'string');
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}
