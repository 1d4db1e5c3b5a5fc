/**
 * Other media servers, to be measured in the same run where they are on the path: `mediamtx` and `go2rtc`. Each is one process that
 * listens on loopback only and writes below a given folder.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../e2e/sshd.ts';

export type RivalName = 'mediamtx' | 'go2rtc';

export interface RivalStream {
  /** Letters and digits. */
  readonly name: string;
  /** An RTSP address, read over TCP. */
  readonly source: string;
}

export interface RivalOptions {
  readonly streams: readonly RivalStream[];
  /** Sources are connected only while there is a viewer. go2rtc knows no other way. */
  readonly isOnDemand?: boolean;
  /** Into files of a minute below `recordings/<name>` of the folder. go2rtc doesn't record. */
  readonly isRecorded?: boolean;
}

/** Of a start, with 10 000 streams. */
const readyLimitMs = 60_000;

/** Those of the given programs that are on the path. */
export function rivalsOnPath(...names: readonly RivalName[]): RivalName[] {
  return names.filter(isOnPath);
}

export function isOnPath(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}

/** A running rival. */
export class Rival {
  readonly name: RivalName;
  readonly #process: ChildProcess;
  readonly #rtspPort: number;
  readonly #httpPort: number;

  private constructor(name: RivalName, process: ChildProcess, rtspPort: number, httpPort: number) {
    this.name = name;
    this.#process = process;
    this.#rtspPort = rtspPort;
    this.#httpPort = httpPort;
  }

  /** Resolves when it listens. */
  static async start(name: RivalName, folder: string, options: RivalOptions): Promise<Rival> {
    const [rtspPort, httpPort] = [await freePort(), await freePort()];
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name}.yml`);
    const settings =
      name === 'mediamtx'
        ? mediamtx(rtspPort, httpPort, folder, options)
        : go2rtc(rtspPort, httpPort, options);
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(settings));
    const words = name === 'mediamtx' ? [file] : ['-config', file];
    const child = spawn(name, words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const rival = new Rival(name, child, rtspPort, httpPort);
    await accepting(rtspPort, child, name);
    return rival;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** The address under which it serves a stream over RTSP. */
  rtspUrl(stream: string): string {
    return `rtsp://127.0.0.1:${this.#rtspPort}/${stream}`;
  }

  /** Of go2rtc: its WebSocket for a page, which sends fragmented MP4. */
  socketUrl(stream: string): string {
    return `ws://127.0.0.1:${this.#httpPort}/api/ws?src=${stream}`;
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    return end(this.#process, signal);
  }
}

function mediamtx(rtspPort: number, hlsPort: number, folder: string, options: RivalOptions): object {
  const { streams, isOnDemand = false, isRecorded = false } = options;
  const path = {
    ...{ rtspTransport: 'tcp', sourceOnDemand: isOnDemand, record: isRecorded },
    ...{
      recordPath: join(folder, 'recordings/%path/%Y-%m-%d_%H-%M-%S-%f'),
      recordSegmentDuration: '60s',
      recordDeleteAfter: '0s',
    },
  };
  return {
    ...{ logLevel: 'error', rtmp: false, webrtc: false, srt: false, moq: false },
    ...{ rtspTransports: ['tcp'], rtspAddress: `127.0.0.1:${rtspPort}`, hlsAddress: `127.0.0.1:${hlsPort}` },
    paths: Object.fromEntries(streams.map(({ name, source }) => [name, { ...path, source }])),
  };
}

function go2rtc(rtspPort: number, apiPort: number, { streams }: RivalOptions): object {
  return {
    ...{ log: { level: 'error' }, webrtc: { listen: '' }, srtp: { listen: '' } },
    ...{ rtsp: { listen: `127.0.0.1:${rtspPort}` }, api: { listen: `127.0.0.1:${apiPort}` } },
    streams: Object.fromEntries(streams.map(({ name, source }) => [name, source])),
  };
}

/** Resolves when a program that was started accepts connections at a port of loopback. @throws Error if it doesn't start */
export async function accepting(port: number, child: ChildProcess, name: string): Promise<void> {
  const limitMs = performance.now() + readyLimitMs;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > limitMs) throw new Error(`${name} does not start`);
    await pause(20);
  }
}

/** Resolves when a program that was started has ended, possibly before. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
