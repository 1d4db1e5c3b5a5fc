import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { ManagedStreamSettings } from './settings.ts';
import type { ReportedState } from './state.ts';
import { Suspects, type SuspectsState, type Suspicion } from './suspects.ts';

/** After this many crashes of an engine on its data within `windowMs` a stream is no longer run. */
const crashesMax = 3;
const windowMs = 3_600_000;

const reason =
  'What this source sends crashed the recording process three times. The stream is not started again until it is changed, or paused and resumed.';

/** The settings whose change may change what the source sends. */
type SourceSettings = Pick<ManagedStreamSettings, 'source' | 'subSource' | 'isPaused'>;

/**
 * Keeps streams whose data crashes their engine from taking the other streams of that engine down again and again. It is
 * stored, because a front may end at any time, but only for as long as the server runs: the next version may be able to
 * read what that source sends.
 */
export class Quarantine {
  readonly #clock: Clock;
  readonly #paths: { readonly crashes: string; readonly suspects: string } | undefined;
  readonly #suspects: Suspects;
  /** Times of the last crashes, wall clock, by uid. */
  readonly #crashes: Map<string, readonly number[]>;

  /** @param folder in which it is stored; undefined: not at all */
  constructor(clock: Clock, folder?: string) {
    this.#clock = clock;
    // Two files: a front of the version before knows only the first.
    if (folder !== undefined)
      this.#paths = { crashes: join(folder, 'quarantine.json'), suspects: join(folder, 'suspects.json') };
    this.#suspects = new Suspects(clock, stored<SuspectsState>(this.#paths?.suspects));
    this.#crashes = new Map(stored<readonly [string, readonly number[]][]>(this.#paths?.crashes));
  }

  /** An engine crashed on the data of a stream. True when the stream must not be run any more. */
  noteCrash(uid: string): boolean {
    const nowMs = this.#clock.wallMs();
    const recent = (this.#crashes.get(uid) ?? []).filter((atMs) => nowMs - atMs < windowMs);
    this.#crashes.set(uid, [...recent, nowMs].slice(-crashesMax));
    this.#store();
    return this.has(uid);
  }

  /**
   * An engine that ran these streams crashed for a reason that it couldn't note. Returns those that are to run in another
   * one, and those that must not be with them.
   */
  noteDeath(uids: readonly string[]): Pick<Suspicion, 'apart' | 'left'> {
    const { culprit, ...halves } = this.#suspects.noteDeath(uids);
    store(this.#paths?.suspects, this.#suspects.state);
    if (culprit !== undefined) {
      this.#crashes.set(
        culprit,
        Array.from({ length: crashesMax }, () => this.#clock.wallMs()),
      );
      this.#store();
    }
    return halves;
  }

  has(uid: string): boolean {
    return (this.#crashes.get(uid)?.length ?? 0) >= crashesMax;
  }

  /** The state of a stream in quarantine. */
  get state(): ReportedState {
    return { status: 'failed', code: 'STREAM_SOURCE_ERR', reason };
  }

  /** New settings may mean other data: then it is tried again. */
  review(uid: string, old: SourceSettings, settings: SourceSettings): void {
    if (!this.#crashes.has(uid)) return;
    const isOther =
      old.source !== settings.source || old.subSource !== settings.subSource || settings.isPaused;
    if (isOther) this.forget(uid);
  }

  /** The stream was removed, or has to be tried again. */
  forget(uid: string): void {
    if (this.#crashes.delete(uid)) this.#store();
  }

  #store(): void {
    store(this.#paths?.crashes, [...this.#crashes]);
  }
}

function store(path: string | undefined, what: unknown): void {
  if (path === undefined) return;
  try {
    writeFileSync(path, JSON.stringify(what), { mode: 0o600 });
  } catch {
    // No space: then the next front counts from the beginning.
  }
}

/** What an earlier front stored; undefined when it was killed while it did. @throws system errors */
function stored<Stored>(path: string | undefined): Stored | undefined {
  if (path === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Stored;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
