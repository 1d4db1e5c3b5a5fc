import type { AuditEntry } from '@vidette/contract/entities';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { fieldText, valueText } from './audit-fields.ts';
import { isRecord, listOf } from './audit-sentence.ts';

/** The server's placeholder for a secret value. */
const SECRET = '***';

/** An entry's details beyond actor and action, if there are any: old and new values, duration, number of occurrences. */
export function EntryFacts({ entry }: { readonly entry: AuditEntry }) {
  const i18n = useI18n();
  const { changes, startTime, endTime, lastSeenTime, count, networks, moreNetworks, ...rest } = entry.details;
  const { names: _, added, removed, members, ...others } = rest;
  const span = spanText({ startTime, endTime, lastSeenTime }, i18n);
  const from = Array.isArray(networks) ? networks.join(', ') : '';
  const texts = [
    typeof count === 'number' && i18n.t('audit.counted', { count }),
    span,
    from !== '' && i18n.t(moreNetworks ? 'audit.networksMore' : 'audit.networks', { networks: from }),
    listOf(added).length > 0 && i18n.t('audit.added', { names: listOf(added).join(', ') }),
    listOf(removed).length > 0 && i18n.t('audit.removed', { names: listOf(removed).join(', ') }),
    // What was sent says less than what it changed.
    !isRecord(changes) && listOf(members).length > 0 && membersText(entry, listOf(members), i18n),
  ].filter((text) => typeof text === 'string');
  const rows = isRecord(changes)
    ? Object.entries(changes).map(([path, change]) => [path, changeText(path, change, entry, i18n)] as const)
    : Object.entries(others).map(
        ([path, value]) => [path, valueText(value, path, entry.action, i18n)] as const,
      );
  if (texts.length === 0 && rows.length === 0) return null;
  return (
    <>
      <dt>{i18n.t('audit.details')}</dt>
      <dd>
        {texts.map((text) => (
          <p key={text}>{text}</p>
        ))}
        {rows.length > 0 && (
          <dl>
            {rows.map(([path, text]) => (
              <div key={path}>
                <dt>{fieldText(path, entry, i18n) ?? <code>{path}</code>}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        )}
      </dd>
    </>
  );
}

/** The members that a call set, by their names in the forms; their values are not recorded. */
function membersText(entry: AuditEntry, members: readonly string[], i18n: I18n): string {
  const names = new Set(members.map((path) => fieldText(path, entry, i18n) ?? path));
  return i18n.t('audit.members', { names: [...names].join(', ') });
}

function changeText(path: string, change: unknown, { action }: AuditEntry, i18n: I18n): string {
  const [before, after] = Array.isArray(change) ? (change as unknown[]) : [null, change];
  if (before === SECRET && after === SECRET) return i18n.t('audit.changedSecret');
  if ([before, after].some((value) => hasParts(value))) return i18n.t('audit.changedValue');
  return i18n.t('audit.changed', {
    before: valueText(before, path, action, i18n),
    after: valueText(after, path, action, i18n),
  });
}

/** A list of objects, as the cells of a mosaic, which no line can show. The server may have cut its JSON. */
function hasParts(value: unknown): boolean {
  return Array.isArray(value) ? value.some((item) => isRecord(item)) : String(value).startsWith('[{');
}

/** The time range, as far as known. */
function spanText(
  { startTime, endTime, lastSeenTime }: { startTime: unknown; endTime: unknown; lastSeenTime: unknown },
  i18n: I18n,
): string | null {
  if (typeof startTime !== 'number') return null;
  const start = i18n.dateTime(startTime);
  if (typeof endTime === 'number') return i18n.t('audit.span', { start, end: i18n.dateTime(endTime) });
  if (typeof lastSeenTime !== 'number') return i18n.t('audit.spanBegun', { start });
  return i18n.t('audit.spanOpen', { start, last: i18n.dateTime(lastSeenTime) });
}
