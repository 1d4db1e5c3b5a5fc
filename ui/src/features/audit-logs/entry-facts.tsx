import type { AuditEntry } from '@vidette/contract/entities';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';

/** The server's placeholder for a secret value. */
const SECRET = '***';

/** An entry's details beyond actor and action: old and new values, duration, number of occurrences. */
export function EntryFacts({ details }: Pick<AuditEntry, 'details'>) {
  const i18n = useI18n();
  const { changes, startTime, endTime, lastSeenTime, count, networks, moreNetworks, ...others } = details;
  const span = spanText({ startTime, endTime, lastSeenTime }, i18n);
  const isCounted = typeof count === 'number';
  const from = Array.isArray(networks) ? networks.join(', ') : '';
  return (
    <>
      {isCounted && <p>{i18n.t('audit.counted', { count })}</p>}
      {span !== null && <p>{span}</p>}
      {from !== '' && (
        <p>{i18n.t(moreNetworks ? 'audit.networksMore' : 'audit.networks', { networks: from })}</p>
      )}
      {isRecord(changes) && (
        <dl>
          {Object.entries(changes).map(([path, change]) => {
            const [before, after] = Array.isArray(change) ? (change as unknown[]) : [null, change];
            const isSecret = before === SECRET && after === SECRET;
            const values = { before: valueText(before, i18n), after: valueText(after, i18n) };
            return (
              <div key={path}>
                <dt>
                  <code>{path}</code>
                </dt>
                <dd>{isSecret ? i18n.t('audit.changedSecret') : i18n.t('audit.changed', values)}</dd>
              </div>
            );
          })}
        </dl>
      )}
      {!isRecord(changes) && Object.keys(others).length > 0 && <pre>{JSON.stringify(others, null, 2)}</pre>}
    </>
  );
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

function valueText(value: unknown, i18n: I18n): string {
  if (value === null || value === undefined || value === '') return i18n.t('audit.nothingYet');
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    return value.length === 0 ? i18n.t('audit.nothingYet') : value.join(', ');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
