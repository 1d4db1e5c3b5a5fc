import { Skeleton } from '@mantine/core';
import IconPackageExport from '@tabler/icons-react/dist/esm/icons/IconPackageExport.mjs';
import { useQuery } from '@tanstack/react-query';
import { exportsPageSize, exportsQuery } from './exports-api.ts';
import { textOf } from '../../page/failures.ts';
import { Delayed } from '../../components/delayed.tsx';
import { FailedState } from '../../components/failed-state.tsx';
import { PageBar } from '../../components/page-bar.tsx';
import { PageState } from '../../components/page-state.tsx';
import { Pager } from '../../components/pager.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { useNavigate, useSearch } from '../../routing/react/router-context.tsx';
import { ExportItem } from './export-item.tsx';
import classes from './exports.module.css';
import type { ExportsSearch } from './exports-search.ts';

/** The user's own export packages; the ones in progress come first because they are the newest. */
export function ExportsScreen() {
  const i18n = useI18n();
  const navigate = useNavigate();
  const { page = 1 }: ExportsSearch = useSearch({ from: '/exports' });
  const { data, error, refetch, isPlaceholderData } = useQuery(exportsQuery(page));
  const fingerprint = data?.items[0]?.fingerprint;
  return (
    <div className={classes.page}>
      <PageBar title={i18n.t('title.exports')} />
      {!data && error && <FailedState text={textOf(error, i18n)} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Delayed>
          <Skeleton height={320} radius={10} />
        </Delayed>
      )}
      {data?.total === 0 && (
        <PageState
          isInline
          icon={IconPackageExport}
          title={i18n.t('exports.empty.title')}
          text={i18n.t('exports.empty.text')}
        />
      )}
      {data && data.items.length > 0 && (
        <ul className={classes.items} aria-busy={isPlaceholderData}>
          {data.items.map((item) => (
            <ExportItem key={item.id} item={item} />
          ))}
        </ul>
      )}
      {fingerprint !== undefined && (
        <div className={classes.key}>
          <code>{i18n.t('exports.key', { fingerprint })}</code>
          <p>{i18n.t('exports.key.help')}</p>
        </div>
      )}
      {data && (
        <Pager
          page={page}
          pageSize={exportsPageSize}
          total={data.total}
          onPage={(next) => void navigate({ to: '/exports', search: next > 1 ? { page: next } : {} })}
        />
      )}
    </div>
  );
}
