import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { loadAuditLogs, type AuditFilter } from './audit-logs-api.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { auditCsv } from './audit-csv.ts';

/** Largest file, entries: more than a spreadsheet opens comfortably. */
const most = 100_000;

/** Downloads all entries that match the filter as a CSV file; shows the number loaded, and can be stopped. */
export function CsvButton({ filter }: { filter: AuditFilter }) {
  const i18n = useI18n();
  const abort = useRef<AbortController | null>(null);
  const [count, setCount] = useState(0);
  useEffect(() => () => abort.current?.abort(), []);
  const download = useMutation({
    mutationFn: async () => {
      abort.current = new AbortController();
      setCount(0);
      const { signal } = abort.current;
      try {
        save(auditCsv(await loadAuditLogs(filter, most, setCount, signal)));
      } catch (error) {
        // A user who stopped it needs no message.
        if (!signal.aborted) throw error;
      }
    },
    meta: { title: 'audit.csv.failed' },
  });
  return download.isPending ? (
    <Button size="sm" variant="default" onClick={() => abort.current?.abort()}>
      {i18n.t('audit.csv.stop', { count })}
    </Button>
  ) : (
    <Button size="sm" variant="default" onClick={() => download.mutate()}>
      {i18n.t('audit.csv')}
    </Button>
  );
}

function save(csv: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(['\ufeff', csv], { type: 'text/csv;charset=utf-8' }));
  link.download = `audit ${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
