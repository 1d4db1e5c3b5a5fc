import { Button, Skeleton } from '@mantine/core';
import IconClipboardOff from '@tabler/icons-react/dist/esm/icons/IconClipboardOff.mjs';
import IconClipboardText from '@tabler/icons-react/dist/esm/icons/IconClipboardText.mjs';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEntry } from '@vidette/contract/entities';
import { isErrorCode, messageOf } from '@vidette/contract/errors';
import { useState } from 'react';
import { auditFilter, auditLogsQuery } from './audit-logs-api.ts';
import { codeOf, textOf } from '../../page/failures.ts';
import { ConfigurationButton } from '../../components/configuration-button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Delayed } from '../../components/delayed.tsx';
import { FailedState } from '../../components/failed-state.tsx';
import { PageState } from '../../components/page-state.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { useNavigate, useSearch } from '../../routing/react/router-context.tsx';
import { actionText } from './audit-actions.ts';
import { AuditFilters } from './audit-filters.tsx';
import classes from './audit-logs.module.css';
import type { AuditSearch } from './audit-search.ts';
import { EntryFacts } from './entry-facts.tsx';
import { EntrySentence } from './entry-sentence.tsx';
import { CsvButton } from './csv-button.tsx';

/** Who did what, when, from where and with what outcome [R2.14]; the filter is in the address. */
export function AuditLogsScreen() {
  const i18n = useI18n();
  const navigate = useNavigate();
  const search: AuditSearch = useSearch({ from: '/administration/audit-logs' });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    auditLogsQuery(auditFilter(search)),
  );
  const entries = data?.pages.flatMap(({ items }) => items) ?? [];
  if (!data && error && codeOf(error) === 'AuditLogsDisabled')
    return (
      <PageState
        isInline
        icon={IconClipboardOff}
        title={textOf(error, i18n)}
        text={i18n.t('audit.off')}
        action={<ConfigurationButton />}
      />
    );
  return (
    <>
      <AuditFilters
        key={JSON.stringify(search)}
        search={search}
        onChange={(next) => void navigate({ to: '/administration/audit-logs', search: next })}
      />
      {!data && error && <FailedState text={textOf(error, i18n)} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Delayed>
          <Skeleton height={320} radius={10} />
        </Delayed>
      )}
      {data && entries.length === 0 && (
        <PageState
          isInline
          icon={IconClipboardText}
          title={i18n.t('streams.nothing.title')}
          text={i18n.t('audit.nothing')}
        />
      )}
      {entries.length > 0 && (
        <>
          <AuditTable search={search} entries={entries} />
          <div className={classes.foot}>
            {hasNextPage && (
              <Button
                size="sm"
                variant="default"
                loading={isFetchingNextPage}
                onClick={() => void fetchNextPage()}
              >
                {i18n.t('audit.older')}
              </Button>
            )}
            <CsvButton filter={auditFilter(search)} />
          </div>
        </>
      )}
    </>
  );
}

interface AuditTableProps {
  readonly search: AuditSearch;
  readonly entries: readonly AuditEntry[];
}

function AuditTable({ search, entries }: AuditTableProps) {
  const i18n = useI18n();
  return (
    <>
      <p className={classes.printed}>{printedText(search, i18n)}</p>
      <DataTable
        label={i18n.t('tab.auditLogs')}
        head={
          <>
            <th>{i18n.t('audit.time')}</th>
            <th>{i18n.t('audit.entry')}</th>
            <th data-wide="true">{i18n.t('audit.address')}</th>
          </>
        }
      >
        {entries.map((entry) => (
          <EntryRows key={entry.id} entry={entry} />
        ))}
      </DataTable>
    </>
  );
}

/** The heading of the printed table: the filter, and the time of printing. */
function printedText({ from, to, user, action, target }: AuditSearch, i18n: I18n): string {
  return [
    i18n.t('audit.printed', { time: i18n.dateTime(Date.now()) }),
    ...[user, action && actionText(action, i18n), target].filter((word) => word !== undefined),
    ...(from === undefined ? [] : [`${i18n.t('audit.from')} ${i18n.dateTime(from)}`]),
    ...(to === undefined ? [] : [`${i18n.t('audit.to')} ${i18n.dateTime(to)}`]),
  ].join(' · ');
}

function EntryRows({ entry }: { entry: AuditEntry }) {
  const i18n = useI18n();
  const [isOpen, setOpen] = useState(false);
  const { time, outcome, ip } = entry;
  const outcomeText =
    outcome === 'ok'
      ? i18n.t('audit.ok')
      : isErrorCode(outcome)
        ? messageOf(outcome, i18n.language)
        : outcome;
  return (
    <>
      <tr>
        <td>
          <Opener isOpen={isOpen} timeMs={time} onToggle={() => setOpen(!isOpen)} />
        </td>
        <td className={classes.sentence}>
          <EntrySentence entry={entry} />
          {outcome !== 'ok' && <div className={classes.failed}>{outcomeText}</div>}
        </td>
        <td data-wide="true" className={classes.address}>
          {ip}
        </td>
      </tr>
      {isOpen && (
        <tr className={classes.details}>
          <td colSpan={3}>
            <EntryDetails entry={entry} outcomeText={outcomeText} />
          </td>
        </tr>
      )}
    </>
  );
}

interface OpenerProps {
  readonly isOpen: boolean;
  readonly timeMs: number;
  readonly onToggle: () => void;
}

function Opener({ isOpen, timeMs, onToggle }: OpenerProps) {
  const i18n = useI18n();
  return (
    <button type="button" className={classes.open} aria-expanded={isOpen} onClick={onToggle}>
      <svg viewBox="0 0 8 8" aria-hidden="true">
        <path d="M2 1l4 3-4 3z" fill="currentColor" />
      </svg>
      <time dateTime={new Date(timeMs).toISOString()}>{i18n.dateTime(timeMs)}</time>
    </button>
  );
}

function EntryDetails({ entry, outcomeText }: { entry: AuditEntry; outcomeText: string }) {
  const i18n = useI18n();
  const { action, target, ip } = entry;
  return (
    <dl>
      <dt>{i18n.t('audit.action')}</dt>
      <dd>
        {actionText(action, i18n)} <code className={classes.code}>{action}</code>
      </dd>
      {target !== null && (
        <>
          <dt>{i18n.t('audit.identifier')}</dt>
          <dd>{target}</dd>
        </>
      )}
      <dt>{i18n.t('audit.outcome')}</dt>
      <dd>{outcomeText}</dd>
      <dt>{i18n.t('audit.address')}</dt>
      <dd>{ip}</dd>
      <EntryFacts entry={entry} />
    </dl>
  );
}
