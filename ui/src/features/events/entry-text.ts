import { gapCauses, holdEndCauses, holdLimits } from '@vidette/contract/constants';
import { isErrorCode, messageOf } from '@vidette/contract/errors';
import type { HealthWarning } from '@vidette/contract/health';
import type { JournalEntry, JournalKind } from '@vidette/contract/journal';
import { warningText } from '../../components/warning-text.ts';
import type { I18n } from '../../i18n/i18n.ts';
import { kindName } from '../../timeline/event-kinds.ts';
import { withCause } from '../../timeline/gap-cause-text.ts';

/** The name of a kind of event. */
export function journalKindName(kind: JournalKind, i18n: I18n): string {
  return i18n.t(`events.kind.${kind}`);
}

/** What happened: the kind, or for an annotation what was recognized. */
export function entryTitle({ kind, detail }: JournalEntry, i18n: I18n): string {
  if (kind === 'annotation' && detail.code !== null) return kindName(detail.code, i18n);
  return journalKindName(kind, i18n);
}

/** Why, and further facts, as text; empty if there are none. */
export function entryText(entry: JournalEntry, i18n: I18n): string {
  const { note, detail } = entry;
  const { count = 1 } = detail.figures;
  return [note, reasonText(entry, i18n), count > 1 ? i18n.t('events.times', { count }) : '']
    .filter((text) => text !== '')
    .join(' · ');
}

function reasonText({ kind, detail }: JournalEntry, i18n: I18n): string {
  const { code, subject, user, address } = detail;
  switch (kind) {
    case 'motion':
    case 'annotation':
      return '';
    case 'stream-down':
    case 'recording-stopped':
      return detail.reason ?? (isErrorCode(code) ? messageOf(code, i18n.language) : '');
    case 'gap':
      return causeText(code, i18n);
    case 'retention':
      return holdText(detail, i18n) ?? systemText(detail, i18n);
    case 'disk':
    case 'node':
      return systemText(detail, i18n);
    case 'sign-in-failed':
    case 'share-opened':
    case 'export-made':
      return [subject, user, address].filter((text) => text !== null && text !== '').join(' · ');
  }
}

/** The code of a gap is its cause; a cause of another version is not known. */
function causeText(code: string | null, i18n: I18n): string {
  const cause = gapCauses.find((one) => one === code);
  return withCause('', cause, i18n).replace(/^: /, '');
}

/** Of a hold that has ended early; undefined for other entries. */
function holdText({ code, figures }: JournalEntry['detail'], i18n: I18n): string | undefined {
  const cause = holdEndCauses.find((one) => code === `hold-ended-${one}`);
  if (cause === undefined) return undefined;
  const { startTime = 0, heldUntil = 0 } = figures;
  const times = { start: i18n.dateTime(startTime), until: i18n.dateTime(heldUntil) };
  return i18n.t(`events.holdEnded.${cause}`, { ...times, count: holdLimits.perStreamMax });
}

/** The text of the health warning whose code the entry has. */
function systemText({ code, subject, figures }: JournalEntry['detail'], i18n: I18n): string {
  if (code === null) return subject ?? '';
  const { usedPercent = null, recordedPercent = null, expiresAt = null } = figures;
  const warning = {
    code: code as HealthWarning['code'],
    subject,
    figures,
    usedPercent,
    recordedPercent,
    expiresAt,
  };
  // Undefined for a code of another version.
  const text: string | undefined = warningText(warning, i18n);
  return text ?? subject ?? '';
}
