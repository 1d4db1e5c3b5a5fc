import type { HealthWarning } from '@vidette/contract/health';
import type { JournalKind } from '@vidette/contract/journal';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Journal, JournalBegin } from '../store/journal.ts';
import type { JournalWriter } from './journal-writer.ts';

/** What of a health warning the journal records. */
type SystemWarning = Pick<HealthWarning, 'code' | 'subject' | 'usedPercent' | 'figures'>;

export interface SystemWatchOptions {
  readonly writer: Pick<JournalWriter, 'note'>;
  readonly journal: Pick<Journal, 'open'>;
  /** The warnings about this node, without those about single streams. */
  readonly warnings: () => Promise<readonly SystemWarning[]>;
  /** Ids of the other nodes that do not answer. */
  readonly awayNodes: () => readonly string[];
  readonly nodeId: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A disk that fills is known within this time. */
const lookMs = 2_000;

const kindOf: Partial<Record<HealthWarning['code'], JournalKind>> = {
  'archive-disk-usage': 'disk',
  'archive-disk-missing': 'disk',
  'archive-write-failed': 'disk',
  'recording-shed': 'disk',
  'data-disk-full': 'disk',
  'far-archive': 'disk',
  'cluster-node-drained': 'node',
  'cluster-node-clock': 'node',
  'server-overloaded': 'node',
  'tunnel-down': 'node',
  'archive-deletes-early': 'retention',
  'archive-undeletable': 'retention',
  'archive-clock': 'retention',
};
const kinds: readonly JournalKind[] = ['disk', 'node', 'retention'];
/** The code of an entry about another node; it has no warning. */
const awayCode = 'node-away';

/** Records the beginning and the end of what the health warnings report. */
export class SystemWatch {
  readonly #options: SystemWatchOptions;
  readonly #cancel: Cancel;
  /** What is going on, by what it is about; undefined until the journal was read. */
  #open: Map<string, JournalBegin> | undefined;
  #isLooking = false;
  /** The warnings at the last look, by code and subject. */
  #codes = '';
  #problems: readonly string[] = [];
  readonly #listeners: (() => void)[] = [];

  constructor(options: SystemWatchOptions) {
    this.#options = options;
    this.#cancel = options.clock.every(lookMs, () => void this.look());
  }

  /** Calls back whenever a warning appears or disappears, journal or not. */
  onChanged(run: () => void): void {
    this.#listeners.push(run);
  }

  /** Codes of the warnings at the last look. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      this.#open ??= await this.#readOpen();
      this.#compare(this.#open, await this.#present());
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        'The health could not be read for the journal; it will be retried',
      );
    } finally {
      this.#isLooking = false;
    }
  }

  close(): void {
    this.#cancel();
  }

  /** What an earlier process of this node left open. */
  async #readOpen(): Promise<Map<string, JournalBegin>> {
    const open = await this.#options.journal.open(kinds);
    return new Map(
      open
        .filter(({ uid, entry: { detail } }) => uid === null && this.#isOwn(detail.subject, detail.code))
        .map(({ entry: { kind, startMs, detail } }) => [
          `${detail.code} ${detail.subject}`,
          { type: 'begin', kind, uid: null, startMs, detail },
        ]),
    );
  }

  #isOwn(subject: string | null, code: string | null): boolean {
    const { nodeId } = this.#options;
    return code === awayCode || subject === nodeId || (subject?.startsWith(`${nodeId}: `) ?? false);
  }

  async #present(): Promise<Map<string, JournalBegin>> {
    const { warnings, awayNodes, clock, nodeId } = this.#options;
    const present = new Map<string, JournalBegin>();
    const add = (kind: JournalKind, code: string, subject: string, figures: Record<string, number> = {}) =>
      present.set(`${code} ${subject}`, {
        ...{ type: 'begin', kind, uid: null, startMs: clock.wallMs() },
        detail: { code, subject, figures: { count: 1, ...figures } },
      });
    const found = await warnings();
    this.#compareCodes(found);
    for (const { code, subject, usedPercent, figures } of found) {
      const kind = kindOf[code];
      if (!kind) continue;
      const percent = usedPercent === null ? {} : { usedPercent };
      // Two nodes may have the same problem: each has its own entry.
      const about = subject === null || subject === nodeId ? nodeId : `${nodeId}: ${subject}`;
      add(kind, code, about, { ...figures, ...percent });
    }
    for (const node of awayNodes()) add('node', awayCode, node);
    return present;
  }

  #compareCodes(found: readonly SystemWarning[]): void {
    const codes = found.map(({ code, subject }) => `${code} ${subject ?? ''}`).join(',');
    if (codes === this.#codes) return;
    this.#codes = codes;
    this.#problems = found.map(({ code }) => code);
    for (const listener of this.#listeners) listener();
  }

  #compare(open: Map<string, JournalBegin>, present: ReadonlyMap<string, JournalBegin>): void {
    const { writer, clock } = this.#options;
    for (const [key, begin] of present) {
      if (open.has(key)) continue;
      open.set(key, begin);
      writer.note(begin);
    }
    for (const [key, { kind, detail = {} }] of open) {
      if (present.has(key)) continue;
      open.delete(key);
      writer.note({ type: 'end', kind, uid: null, detail, endMs: clock.wallMs() });
    }
  }
}
