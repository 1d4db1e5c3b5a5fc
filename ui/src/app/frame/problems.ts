import type { HealthWarning } from '@vidette/contract/health';
import type { Dismissals } from './dismissals.ts';

/** One line of the list of problems. */
export interface Problem {
  /** Identifies it as long as it lasts; a dismissal is stored under it. */
  readonly key: string;
  readonly warning: HealthWarning;
  readonly mayDismiss: boolean;
}

type Code = HealthWarning['code'];

/** These have a banner. */
const banners: readonly Code[] = ['license-expired', 'cluster-node-drained'];
/** Recording is lost while these last, or the page can't show something: they disappear when the cause does. */
const strict: readonly Code[] = ['stream-not-recording', 'server-overloaded'];

/** Ongoing losses come first, and missing things come before advice. */
const weight: Partial<Record<Code, number>> = {
  'archive-disk-missing': -4,
  'archive-write-failed': -4,
  'stream-not-recording': -3,
  'recording-shed': -2,
  'data-disk-full': -2,
  'server-overloaded': -1,
  'stream-recorded-low': 1,
  'trust-proxy': 2,
};

/** Footage is lost now. */
const losses: readonly Code[] = [
  'archive-disk-missing',
  'archive-write-failed',
  'stream-not-recording',
  'recording-shed',
];

/** The problems to list, the most serious first, without those that the user has dismissed. */
export function problemsOf(warnings: readonly HealthWarning[], dismissed: Dismissals): Problem[] {
  const notRecorded = new Set(
    warnings.filter(({ code }) => code === 'stream-not-recording').map(({ subject }) => subject),
  );
  return warnings
    .filter(({ code }) => !banners.includes(code))
    .filter(({ code, subject }) => code !== 'stream-recorded-low' || !notRecorded.has(subject))
    .map((warning) => ({ key: keyOf(warning), warning, mayDismiss: !strict.includes(warning.code) }))
    .filter(({ key, mayDismiss }) => !mayDismiss || !(key in dismissed))
    .toSorted((a, b) => (weight[a.warning.code] ?? 0) - (weight[b.warning.code] ?? 0));
}

/** Whether footage is being lost, rather than something merely needing attention. */
export function isLoss({ warning }: Problem): boolean {
  return losses.includes(warning.code);
}

function keyOf({ code, subject }: HealthWarning): string {
  return subject === null ? code : `${code}:${subject}`;
}
