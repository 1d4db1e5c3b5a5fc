import type { EngineNumbers } from './engine-count.ts';
import type { NextProcesses, ProcessSupervisor } from './process-supervisor.ts';
import { assertReplaceable, type ProgramFacts } from './program-facts.ts';
import { programIn } from './server-program.ts';

export interface ProgramChangeOptions {
  readonly supervisor: Pick<ProcessSupervisor, 'program' | 'engines' | 'replace'>;
  /** As the configuration says now. */
  readonly plan: () => Promise<Pick<EngineNumbers, 'engines'>>;
  /** Of the program that runs now: later the files on the disk may be those of another version. */
  readonly facts: ProgramFacts;
}

export const needsFullRestart =
  'Without engine processes (engine.processes: 0) the server that records cannot be replaced: stop it and start it again.';

/**
 * Replaces the processes of a server by those that the disk and the configuration have now, one request after the other. What is to run is
 * read when its turn has come: a restart during an upgrade must not lead back to the version before.
 */
export class ProgramChange {
  readonly #options: ProgramChangeOptions;
  #facts: ProgramFacts;

  constructor(options: ProgramChangeOptions) {
    this.#options = options;
    this.#facts = options.facts;
  }

  /** By the program in a folder, or by that which runs, started again. @throws Error with words for the operator */
  replace(folder: string | undefined, progress: (line: string) => void): Promise<void> {
    return this.#replaceIf(() => true, folder, progress);
  }

  /**
   * If the files of the program were replaced by those of another version, or another number of engines is configured.
   * @throws Error with words for the operator
   */
  replaceIfChanged(progress: (line: string) => void): Promise<void> {
    const { supervisor } = this.#options;
    const isOther = ({ program, engines }: NextProcesses) =>
      program.version !== supervisor.program.version || engines !== supervisor.engines;
    return this.#replaceIf(isOther, undefined, progress);
  }

  async #replaceIf(
    isWanted: (next: NextProcesses) => boolean,
    folder: string | undefined,
    progress: (line: string) => void,
  ): Promise<void> {
    const { supervisor, plan } = this.#options;
    const chosen: { next?: NextProcesses; facts?: ProgramFacts } = {};
    const choose = async () => {
      const { engines } = await plan();
      const next = { program: programIn(folder ?? supervisor.program.folder), engines };
      if (!isWanted(next)) return undefined;
      if (engines === 0) throw new Error(needsFullRestart);
      chosen.facts = await assertReplaceable(this.#facts, next.program);
      chosen.next = next;
      return next;
    };
    try {
      await supervisor.replace(choose, progress);
    } finally {
      if (chosen.facts && supervisor.program === chosen.next?.program) this.#facts = chosen.facts;
    }
  }
}
