import type { AuditEntry } from '@vidette/contract/entities';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import { isRecord, listOf, nameOf } from './audit-sentence.ts';

/** The server's placeholder for a secret value. */
const SECRET = '***';

/** An entry's details beyond actor and action: old and new values, duration, number of occurrences. */
export function EntryFacts({ entry: { action, details } }: { readonly entry: AuditEntry }) {
  const i18n = useI18n();
  const { changes, startTime, endTime, lastSeenTime, count, networks, moreNetworks, ...rest } = details;
  const { names: _, added, removed, ...others } = rest;
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
      {listOf(added).length > 0 && <p>{i18n.t('audit.added', { names: listOf(added).join(', ') })}</p>}
      {listOf(removed).length > 0 && <p>{i18n.t('audit.removed', { names: listOf(removed).join(', ') })}</p>}
      {isRecord(changes) && (
        <dl>
          {Object.entries(changes).map(([path, change]) => {
            const [before, after] = Array.isArray(change) ? (change as unknown[]) : [null, change];
            const isSecret = before === SECRET && after === SECRET;
            const isOfRights = action.endsWith('Permissions');
            const values = {
              before: valueText(before, isOfRights, i18n),
              after: valueText(after, isOfRights, i18n),
            };
            const isWhole = [before, after].some((value) => hasParts(value));
            return (
              <div key={path}>
                <dt>{fieldName(path, action, details, i18n)}</dt>
                <dd>
                  {isSecret
                    ? i18n.t('audit.changedSecret')
                    : isWhole
                      ? i18n.t('audit.changedValue')
                      : i18n.t('audit.changed', values)}
                </dd>
              </div>
            );
          })}
        </dl>
      )}
      {!isRecord(changes) && Object.keys(others).length > 0 && <pre>{JSON.stringify(others, null, 2)}</pre>}
    </>
  );
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

const rights: Readonly<Record<string, MessageKey>> = {
  view: 'rights.view',
  archive: 'rights.archive',
  share: 'rights.share',
  edit: 'rights.edit',
};

function valueText(value: unknown, isOfRights: boolean, i18n: I18n): string {
  if (value === null || value === undefined || value === '') return i18n.t('audit.nothingYet');
  if (typeof value === 'boolean') return i18n.t(value ? 'audit.yes' : 'audit.no');
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    const words = value.map((item) => {
      const right = isOfRights ? rights[String(item)] : undefined;
      return right ? i18n.t(right) : String(item);
    });
    return words.length === 0 ? i18n.t('audit.nothingYet') : words.join(', ');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The member of a changed object by the name that its form gives it; an unknown one by its path. */
function fieldName(path: string, action: string, details: AuditEntry['details'], i18n: I18n) {
  if (action === 'saveUserPermissions' || action === 'saveStreamPermissions') return nameOf(path, details);
  if (action === 'saveConfiguration') {
    const message = `config.name.${path.replaceAll('.', '-')}`;
    const name = i18n.t(message as MessageKey);
    if (name !== message) return name;
  }
  const field = fields[path];
  return field ? i18n.t(field) : <code>{path}</code>;
}

const fields: Readonly<Record<string, MessageKey>> = {
  name: 'stream.name',
  streamSource: 'stream.source',
  tags: 'stream.tags',
  'location.name': 'stream.location',
  'location.timeZone': 'stream.zone',
  'archive.isEnable': 'stream.archive',
  'archive.depthHours': 'stream.depth',
  'archive.farAfterHours': 'stream.farAfter',
  'live.onDemand': 'stream.onDemand',
  'motion.isEnable': 'stream.motion',
  isPublic: 'share.title',
  isEmbeddable: 'share.embed',
  isShared: 'mosaicEdit.shared',
  rotationSeconds: 'mosaicEdit.rotation',
  fullName: 'account.fullName',
  maxStreamCreation: 'user.quota',
  canConvert: 'user.convert',
  mustChangePassword: 'user.mustChange',
  note: 'bookmarks.note',
};
