/**
 * The socket on which a running server takes requests of the commands `restart` and `upgrade`: `control.sock` in its data
 * folder, which only the server's user can open. Both sides send lines of JSON. They may differ in version: members are only
 * added.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';

const name = 'control.sock';
/** The path of a Unix socket has at most 107 bytes. */
const pathMaxBytes = 107;
/** A server answers in a few milliseconds, even at its start: one that takes longer hangs. */
const statusMs = 15_000;

type ControlRequest =
  | { readonly type: 'status' }
  /** Replaces the processes; by the program in a folder, or by that which runs, started again. */
  | { readonly type: 'replace'; readonly folder?: string };

type ControlAnswer =
  | ({ readonly type: 'status' } & ServerStatus)
  /** Shown to the operator. */
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly reason: string };

/** What a running server says of itself. */
export interface ServerStatus {
  readonly pid: number;
  readonly version: string;
  /** Of its program. */
  readonly folder: string;
  /** It serves the page. Earlier versions don't say. */
  readonly isReady?: boolean;
}

/** What the socket controls. */
export interface Controlled {
  status(): ServerStatus;
  /** @throws Error with words for the operator */
  replace(folder: string | undefined, progress: (line: string) => void): Promise<void>;
}

/** Takes requests until it is closed. */
interface Control {
  close(): Promise<void>;
}

/**
 * As `openControl`, but a server must also start where no socket can be created: on a full disk, or a file system without
 * sockets.
 */
export async function openControlIfPossible(
  dataDir: string,
  controlled: Controlled,
  report: (line: string) => void,
): Promise<Control> {
  try {
    return await openControl(dataDir, controlled);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    report(`The commands restart and upgrade can't be used: ${(error as Error).message}`);
    return { close: () => Promise.resolve() };
  }
}

/** Takes requests until it is closed. @throws system errors */
export async function openControl(dataDir: string, controlled: Controlled): Promise<Control> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The command was interrupted.
    socket.on('error', () => {});
    readLines<ControlRequest>(socket, (request) => void serve(request, controlled, socket));
  });
  // Left behind by a server that was killed.
  await rm(join(dataDir, name), { force: true });
  const place = placeOf(dataDir);
  try {
    await listen(server, place.path);
  } catch (error) {
    place.release();
    throw error;
  }
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      place.release();
    },
  };
}

/**
 * The server that runs with a data folder; undefined if none does.
 * @throws Fault Unavailable if it does not answer in time; Forbidden if this user may not ask it
 */
export async function runningServer(dataDir: string, clock: Clock): Promise<ServerStatus | undefined> {
  let status: ServerStatus | undefined;
  const take = (answer: ControlAnswer) => {
    if (answer.type === 'status') status = answer;
  };
  return (await ask(dataDir, { type: 'status' }, take, clock)) ? status : undefined;
}

/**
 * Has the running server replace its processes. Resolves to why it was not done; undefined: it was.
 * @param line shows a line to the operator
 */
export async function askToReplace(
  dataDir: string,
  folder: string | undefined,
  line: (text: string) => void,
): Promise<string | undefined> {
  let reason: string | undefined = 'The server ended.';
  const take = (answer: ControlAnswer) => {
    if (answer.type === 'line') line(answer.text);
    else if (answer.type === 'done') reason = undefined;
    else if (answer.type === 'failed') ({ reason } = answer);
  };
  const request = { type: 'replace', ...(folder !== undefined && { folder }) } as const;
  return (await ask(dataDir, request, take)) ? reason : 'No server runs with this data folder.';
}

async function serve(request: ControlRequest, controlled: Controlled, socket: Socket): Promise<void> {
  const send = (answer: ControlAnswer) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(answer)}\n`);
  };
  if (request.type === 'status') send({ type: 'status', ...controlled.status() });
  else if (request.type === 'replace') {
    await controlled
      .replace(request.folder, (text) => send({ type: 'line', text }))
      .then(
        () => send({ type: 'done' }),
        (error: unknown) => send({ type: 'failed', reason: (error as Error).message }),
      );
  }
  socket.end();
}

/**
 * False if no server takes requests.
 * @throws Fault Unavailable if there is a clock, and no answer in time; Forbidden if this user may not ask
 */
async function ask(
  dataDir: string,
  request: ControlRequest,
  take: (answer: ControlAnswer) => void,
  clock?: Clock,
): Promise<boolean> {
  const place = pathIfPresent(dataDir);
  if (!place) return false;
  try {
    return await new Promise((resolve, reject) => {
      const socket = connect(place.path);
      const cancel = clock?.after(statusMs, () => {
        socket.destroy();
        reject(
          new Fault('Unavailable', `The server with the data folder ${dataDir} runs but does not answer.`),
        );
      });
      let isConnected = false;
      socket.on('connect', () => {
        isConnected = true;
        socket.write(`${JSON.stringify(request)}\n`);
      });
      readLines(socket, take);
      // Nothing listens, or the server ended; what it has answered counts.
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (isDenied(error)) reject(notItsUser(dataDir, error));
      });
      socket.on('close', () => {
        cancel?.();
        resolve(isConnected);
      });
    });
  } finally {
    place.release();
  }
}

interface SocketPlace {
  readonly path: string;
  release(): void;
}

function pathIfPresent(dataDir: string): SocketPlace | undefined {
  try {
    return placeOf(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw isDenied(error as NodeJS.ErrnoException) ? notItsUser(dataDir, error) : error;
  }
}

function isDenied({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EACCES' || code === 'EPERM';
}

function notItsUser(dataDir: string, cause: unknown): Fault {
  return new Fault(
    'Forbidden',
    `This user has no permission for ${dataDir}, and can't know whether a server runs with it: run this command as the server's user.`,
    { cause },
  );
}

/** The socket's path; if it is too long, another that leads there, until it is released. */
function placeOf(dataDir: string): SocketPlace {
  const path = join(dataDir, name);
  if (Buffer.byteLength(path) <= pathMaxBytes) return { path, release: () => {} };
  const folder = openSync(dataDir, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${folder}/${name}`, release: () => closeSync(folder) };
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // The socket is created before `listen` returns.
    const before = process.umask(0o177);
    try {
      server.listen(path, resolve);
    } finally {
      process.umask(before);
    }
  });
}

function readLines<Message>(socket: Socket, take: (message: Message) => void): void {
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const lines = `${text}${chunk}`.split('\n');
    text = lines.pop() ?? '';
    try {
      for (const line of lines) take(JSON.parse(line) as Message);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      socket.destroy();
    }
  });
}
