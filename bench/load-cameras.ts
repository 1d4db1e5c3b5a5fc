import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The output of `load-camera.ts`, one object per line. */
type CameraEvent =
  | { readonly port: number }
  | { readonly path: string; readonly beganMs: number }
  | { readonly path: string; readonly frames: number };

/** The process that plays the cameras, `load-camera.ts`. */
export class LoadCameras {
  readonly urls: readonly string[];
  /** Resolves when every session has received all its frames. */
  readonly finished: Promise<void>;
  readonly #process: ChildProcess;
  readonly #began: ReadonlyMap<string, number>;

  private constructor(
    process: ChildProcess,
    urls: readonly string[],
    finished: Promise<void>,
    began: ReadonlyMap<string, number>,
  ) {
    this.#process = process;
    this.#began = began;
    this.urls = urls;
    this.finished = finished;
  }

  /** Encodes the loop first if necessary. Each camera plays this number of frames, once. */
  static async start(
    count: number,
    kbitPerSecond: number,
    frames: number,
    { hasAudio = true, gopSeconds = 1 } = {},
  ): Promise<LoadCameras> {
    const script = fileURLToPath(new URL('load-camera.ts', import.meta.url));
    const args = [
      script,
      String(kbitPerSecond),
      String(frames),
      String(gopSeconds),
      ...(hasAudio ? [] : ['video']),
    ];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const port = Promise.withResolvers<number>();
    const finished = Promise.withResolvers<void>();
    const began = new Map<string, number>();
    let ended = 0;
    let text = '';
    child.once('exit', (code) => port.reject(new Error(`The cameras ended with ${code}`)));
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      const lines = (text + more).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const event = JSON.parse(line) as CameraEvent;
        if ('port' in event) port.resolve(event.port);
        else if ('beganMs' in event) began.set(event.path, event.beganMs);
        else if (++ended === count) finished.resolve();
      }
    });
    const base = `rtsp://127.0.0.1:${await port.promise}`;
    return new LoadCameras(
      child,
      Array.from({ length: count }, (_, index) => `${base}/${index}`),
      finished.promise,
      began,
    );
  }

  /** When a camera sent its first frame, wall clock; undefined before. */
  beganMs(url: string): number | undefined {
    return this.#began.get(new URL(url).pathname);
  }

  stop(): void {
    this.#process.kill();
  }
}
