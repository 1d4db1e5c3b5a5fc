import type { JournalDetail, JournalKind } from '@vidette/contract/journal';
import type { Clock } from '../base/clock.ts';
import type { JournalWriter } from './journal-writer.ts';

export interface Moment {
  readonly uid: string | null;
  readonly detail: Partial<Omit<JournalDetail, 'figures'>>;
}

/** Further subjects of one window are one entry. */
const subjectsMax = 200;

/**
 * Records moments of one kind that strangers can cause: all of one subject within a window are one entry with a count, and so are
 * those of too many subjects, so that strangers can't fill the journal.
 */
export class MomentTally {
  readonly #kind: JournalKind;
  readonly #windowMs: number;
  readonly #writer: Pick<JournalWriter, 'note'>;
  readonly #clock: Clock;
  readonly #counts = new Map<string, { readonly startMs: number; count: number }>();

  constructor(options: {
    kind: JournalKind;
    windowMs: number;
    writer: Pick<JournalWriter, 'note'>;
    clock: Clock;
  }) {
    this.#kind = options.kind;
    this.#windowMs = options.windowMs;
    this.#writer = options.writer;
    this.#clock = options.clock;
  }

  /** Never throws. */
  note(moment: Moment): void {
    const nowMs = this.#clock.wallMs();
    for (const [subject, { startMs }] of this.#counts)
      if (Math.abs(nowMs - startMs) >= this.#windowMs) this.#counts.delete(subject);
    const { uid, detail } = moment;
    const subject = [uid, detail.user, detail.address].map((part) => part ?? '').join(' ');
    const isCrowded = !this.#counts.has(subject) && this.#counts.size >= subjectsMax;
    this.#count(isCrowded ? '' : subject, isCrowded ? { uid: null, detail: {} } : moment, nowMs);
  }

  #count(subject: string, { uid, detail }: Moment, nowMs: number): void {
    const counted = this.#counts.get(subject) ?? { startMs: nowMs, count: 0 };
    counted.count++;
    this.#counts.set(subject, counted);
    const { startMs, count } = counted;
    this.#writer.note({
      ...{ type: 'put', kind: this.#kind, uid, key: `${subject} ${startMs}` },
      ...{ startMs, endMs: count > 1 ? nowMs : null, detail: { ...detail, figures: { count } } },
    });
  }
}
