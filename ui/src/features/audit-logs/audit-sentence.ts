import type { AuditEntry } from '@vidette/contract/entities';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import { actionKey, actionText } from './audit-actions.ts';

/** A name in a sentence; `filter` finds all entries of the same user or object. */
interface NamedPart {
  readonly text: string;
  readonly filter?: { readonly user: string } | { readonly target: string };
  /** What was done, which is no name. */
  readonly isAction?: true;
}

/** A sentence in pieces: text as it is, and the names in it. */
export type Sentence = readonly (string | NamedPart)[];

/** A control character that no text contains: it marks the place of a name while a message is formatted. */
const MARK = '\u0001';
/** Most names in one sentence; of the rest only the number is told. */
const NAMES_MAX = 3;

/** What happened, with the names as they were then; of an action that was refused, that it was not done. */
export function sentenceOf(entry: AuditEntry, i18n: I18n): Sentence {
  const { action, outcome } = entry;
  const user = userPart(entry, i18n);
  if (outcome !== 'ok') {
    const target = targetPart(entry);
    const parts = filled('audit.refused', { user, action: actionPart(action, i18n) }, i18n);
    return target ? [...parts, ' · ', target] : parts;
  }
  const { key, names } = changeOf(entry, i18n) ?? { key: actionKey(action), names: {} };
  const target = targetPart(entry);
  const isWhole =
    key !== undefined && (target !== undefined || !i18n.t(key, { target: MARK }).includes(MARK));
  if (!isWhole) return filled('audit.plain', { user, action: actionPart(action, i18n) }, i18n);
  return filled(key, { user, ...(target && { target }), ...names }, i18n);
}

function actionPart(action: string, i18n: I18n): NamedPart {
  return { text: actionText(action, i18n), isAction: true };
}

/** The sentence as one text, for files and tests. */
export function textOfSentence(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}

function userPart({ user, action, isMachine }: AuditEntry, i18n: I18n): NamedPart {
  if (user === null) return { text: i18n.t(action === 'mqttRecording' ? 'audit.broker' : 'audit.visitor') };
  const isOwn = !isMachine || action === 'watchStills' || action === 'previewRule';
  return { text: isOwn ? user : i18n.t('audit.program', { user }), filter: { user } };
}

function targetPart({ target, targetName }: AuditEntry): NamedPart | undefined {
  if (target === null) return undefined;
  return { text: targetName || target, filter: { target } };
}

interface Change {
  readonly key: MessageKey;
  readonly names: Readonly<Record<string, NamedPart>>;
}

/** A change that can be told more exactly than by its action: a new name, streams added or removed, rights. */
function changeOf(entry: AuditEntry, i18n: I18n): Change | undefined {
  const { action, details, target } = entry;
  const changes = isRecord(details['changes']) ? details['changes'] : {};
  const rows = Object.entries(changes);
  const [first] = rows;
  if (
    rows.length === 1 &&
    first?.[0] === 'name' &&
    Array.isArray(first[1]) &&
    typeof first[1][1] === 'string'
  )
    return { key: 'audit.said.renamed', names: { name: { text: first[1][1] } } };
  if (action === 'saveMosaic')
    return streamsChange(listOf(details['added']), listOf(details['removed']), i18n);
  const isOfUser = action === 'saveUserPermissions';
  if ((!isOfUser && action !== 'saveStreamPermissions') || rows.length === 0 || '...' in changes)
    return undefined;
  const kind = rows.every(([, change]) => isFrom(change, 0))
    ? 'granted'
    : rows.every(([, change]) => isFrom(change, 1))
      ? 'removed'
      : undefined;
  if (!kind || (!isOfUser && rows.length > 1)) return undefined;
  const names = rows.map(([key]) => nameOf(key, details));
  if (isOfUser) return { key: `audit.said.${kind}`, names: { streams: { text: joined(names, i18n) } } };
  // The row is the user's; the object of the action is the stream.
  const user: NamedPart = { text: names[0] ?? '', filter: { target: names[0] ?? '' } };
  const stream = targetPart(entry);
  if (!stream || target === null) return undefined;
  return { key: `audit.said.${kind}`, names: { target: user, streams: stream } };
}

function streamsChange(added: readonly string[], removed: readonly string[], i18n: I18n): Change | undefined {
  if ((added.length === 0) === (removed.length === 0)) return undefined;
  const isAddition = added.length > 0;
  const streams = { text: joined(isAddition ? added : removed, i18n) };
  return { key: isAddition ? 'audit.said.added' : 'audit.said.removed', names: { streams } };
}

/** Whether there was nothing before (0), or is nothing now (1). */
function isFrom(change: unknown, side: 0 | 1): boolean {
  return Array.isArray(change) && change[side] === null && change[1 - side] !== null;
}

/** What an object in the details was called then. */
export function nameOf(key: string, details: AuditEntry['details']): string {
  const names = isRecord(details['names']) ? details['names'] : {};
  const name = names[key];
  return typeof name === 'string' ? name : key;
}

/** Some names as a list; at most three of them. */
function joined(names: readonly string[], i18n: I18n): string {
  const shown = names.slice(0, NAMES_MAX).join(', ');
  const count = names.length - NAMES_MAX;
  return count > 0 ? `${shown} ${i18n.t('audit.more', { count })}` : shown;
}

/** A list of texts in the details of an entry. */
export function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** The details are whatever the server of that time wrote. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function filled(key: MessageKey, parts: Readonly<Record<string, NamedPart>>, i18n: I18n): Sentence {
  const names = Object.keys(parts);
  const marks = Object.fromEntries(names.map((name, index) => [name, `${MARK}${index}${MARK}`]));
  return i18n
    .t(key, marks)
    .split(MARK)
    .flatMap((piece, index): (string | NamedPart)[] => {
      if (index % 2 === 0) return piece === '' ? [] : [piece];
      return [parts[names[Number(piece)] ?? ''] ?? ''];
    });
}
