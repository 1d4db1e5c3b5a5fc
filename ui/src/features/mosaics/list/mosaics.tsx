import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import IconLayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import { useQuery } from '@tanstack/react-query';
import type { Mosaic } from '@vidette/contract/entities';
import { useState } from 'react';
import { mosaicsPageSize, mosaicsQuery } from '../mosaics-api.ts';
import { ListBar } from '../../../components/list-bar.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { PageBar } from '../../../components/page-bar.tsx';
import { PageState } from '../../../components/page-state.tsx';
import { Pager } from '../../../components/pager.tsx';
import { SearchField } from '../../../components/search-field.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { pageCount } from '../grid/grid.ts';
import { searchValues } from '../../../api/search-values.ts';
import { Link } from '../../../routing/react/link.tsx';
import { useNavigate, useSearch } from '../../../routing/react/router-context.tsx';
import { LayoutSketch } from './layout-sketch.tsx';
import classes from './mosaics.module.css';
import type { MosaicsSearch } from './mosaics-search.ts';

const typingMs = 200;

/** All mosaics that the viewer may see [R2.1]. */
export function MosaicsScreen() {
  const i18n = useI18n();
  const { typed, type, page, turnTo, query, isEmpty } = useMosaicList();
  return (
    <>
      <PageBar title={i18n.t('title.mosaics')} actions={!isEmpty && <CreateButton />} />
      {!isEmpty && (
        <ListBar>
          <SearchField label={i18n.t('mosaics.search')} value={typed} onChange={type} />
        </ListBar>
      )}
      <Loaded query={query} skeletonPx={240}>
        {({ items, total }) => (
          <>
            {total === 0 && (
              <PageState
                isInline
                icon={IconLayoutDashboard}
                title={i18n.t(isEmpty ? 'mosaics.empty.title' : 'streams.nothing.title')}
                text={i18n.t(isEmpty ? 'mosaics.empty.text' : 'mosaics.nothing')}
                action={isEmpty && <CreateButton />}
              />
            )}
            {items.length > 0 && (
              <ul className={classes.items} aria-busy={query.isPlaceholderData}>
                {items.map((mosaic) => (
                  <MosaicItem key={mosaic.id} mosaic={mosaic} />
                ))}
              </ul>
            )}
            <Pager page={page} pageSize={mosaicsPageSize} total={total} onPage={turnTo} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** The page of the list and its search, both in the address, and the mosaics that match them. */
function useMosaicList() {
  const navigate = useNavigate();
  const asked: MosaicsSearch = useSearch({ from: '/mosaics' });
  const [typed, setTyped] = useState(asked.q ?? '');
  const [search] = useDebouncedValue(typed, typingMs);
  const page = asked.page ?? 1;
  const query = useQuery(mosaicsQuery(page, searchValues(search)));
  const change = (changes: MosaicsSearch) =>
    void navigate({
      to: '/mosaics',
      search: { ...asked, ...changes },
      replace: changes.q !== undefined,
    });
  return {
    typed,
    type: (q: string) => {
      setTyped(q);
      change({ q, page: 1 });
    },
    page,
    turnTo: (next: number) => change({ page: next }),
    query,
    /** There are no mosaics at all. */
    isEmpty: query.data?.total === 0 && search.trim() === '',
  };
}

function CreateButton() {
  const i18n = useI18n();
  return (
    <Button
      component={Link}
      to="/create-mosaic"
      size="sm"
      leftSection={<IconPlus size={16} aria-hidden="true" />}
    >
      {i18n.t('title.createMosaic')}
    </Button>
  );
}

function MosaicItem({ mosaic }: { mosaic: Mosaic }) {
  const i18n = useI18n();
  const { id, name, layout, isShared, createdBy, meta } = mosaic;
  const streams = new Set(layout.cells.flatMap(({ stream }) => stream ?? [])).size;
  const pages = pageCount(layout);
  const facts = [
    i18n.t('mosaics.streams', { count: streams }),
    ...(pages > 1 ? [i18n.t('mosaics.pages', { count: pages })] : []),
    i18n.t(isShared ? 'mosaics.shared' : 'mosaics.private'),
    ...(createdBy === null ? [] : [i18n.t('mosaics.by', { name: createdBy })]),
  ];
  return (
    <li className={classes.item}>
      <Link to="/mosaic/$id" params={{ id: String(id) }} className={classes.link}>
        <LayoutSketch layout={layout} />
        <span className={classes.name}>{name}</span>
        <span className={classes.facts}>{facts.join(' · ')}</span>
      </Link>
      {meta.canAdmin && (
        <Link
          to="/mosaic/$id/edit"
          params={{ id: String(id) }}
          className={classes.edit}
          aria-label={`${i18n.t('mosaic.settings')}: ${name}`}
          title={i18n.t('mosaic.settings')}
        >
          <IconPencil size={16} stroke={1.6} aria-hidden="true" />
        </Link>
      )}
    </li>
  );
}
