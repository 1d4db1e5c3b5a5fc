import {
  SupervisedProcess,
  type Successor,
  type ProcessMessage,
  type SupervisedProcessOptions,
} from './supervised-process.ts';

/** A front that hangs serves no page, but costs no recording. */
const silentMs = 30_000;

interface FrontOptions extends Omit<
  SupervisedProcessOptions,
  'name' | 'silentMs' | 'onMessage' | 'onProcess'
> {
  /** It needs an engine that has not been started, by the path of its socket. */
  readonly onWake: (path: string) => void;
  /** It needs one engine more for a while. */
  readonly onAddEngine: () => void;
  /** It does not need that one any more, by the path of its socket. */
  readonly onEndEngine: (path: string) => void;
}

/** The front of the server, as its supervisor sees it. */
export class FrontProcess {
  readonly process: SupervisedProcess;
  readonly #orders: Pick<FrontOptions, 'onWake' | 'onAddEngine' | 'onEndEngine'>;
  readonly #waiting = new Map<number, PromiseWithResolvers<number>>();
  #lastId = 0;

  constructor(options: FrontOptions) {
    this.#orders = options;
    this.process = new SupervisedProcess({
      ...options,
      name: 'The front',
      silentMs,
      onMessage: (message) => this.#take(message),
      onProcess: (pid) => {
        if (pid === null) this.#loseAll();
      },
    });
  }

  /** Moves the streams of an engine to others. Resolves to their number. @throws Error when the front can't, or ends */
  replaceEngine(path: string, successors: readonly Successor[]): Promise<number> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<number>();
    this.#waiting.set(id, answer);
    if (!this.process.send({ type: 'replace', id, path, successors }))
      answer.reject(new Error('The front is starting.'));
    return answer.promise;
  }

  #take(message: ProcessMessage): void {
    if (message.type === 'wake') this.#orders.onWake(message.path);
    if (message.type === 'add-engine') this.#orders.onAddEngine();
    if (message.type === 'end-engine') this.#orders.onEndEngine(message.path);
    if (message.type === 'replaced') this.#waiting.get(message.id)?.resolve(message.streams);
    if (message.type === 'not-replaced') this.#waiting.get(message.id)?.reject(new Error(message.reason));
  }

  #loseAll(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('The front ended.'));
    this.#waiting.clear();
  }
}
