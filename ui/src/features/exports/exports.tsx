import IconPackageExport from '@tabler/icons-react/dist/esm/icons/IconPackageExport.mjs';
import { useQuery } from '@tanstack/react-query';
import { exportsPageSize, exportsQuery } from './exports-api.ts';
import { ItemList } from '../../components/item-list.tsx';
import { Loaded } from '../../components/loaded.tsx';
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
  const query = useQuery(exportsQuery(page));
  return (
    <div className={classes.page}>
      <PageBar title={i18n.t('title.exports')} />
      <Loaded query={query} skeletonPx={320}>
        {({ items, total }) => (
          <>
            {total === 0 && (
              <PageState
                isInline
                icon={IconPackageExport}
                title={i18n.t('exports.empty.title')}
                text={i18n.t('exports.empty.text')}
              />
            )}
            {items.length > 0 && (
              <ItemList isStale={query.isPlaceholderData}>
                {items.map((item) => (
                  <ExportItem key={item.id} item={item} />
                ))}
              </ItemList>
            )}
            {items[0] && <SigningKey fingerprint={items[0].fingerprint} />}
            <Pager
              page={page}
              pageSize={exportsPageSize}
              total={total}
              onPage={(next) => void navigate({ to: '/exports', search: next > 1 ? { page: next } : {} })}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}

function SigningKey({ fingerprint }: { fingerprint: string }) {
  const i18n = useI18n();
  return (
    <div className={classes.key}>
      <code>{i18n.t('exports.key', { fingerprint })}</code>
      <p>{i18n.t('exports.key.help')}</p>
    </div>
  );
}
