import { useDebouncedValue } from '@mantine/hooks';
import IconBookmark from '@tabler/icons-react/dist/esm/icons/IconBookmark.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bookmarksPageSize, bookmarksQuery } from './bookmarks-api.ts';
import { ItemList } from '../../components/item-list.tsx';
import { ListBar } from '../../components/list-bar.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageBar } from '../../components/page-bar.tsx';
import { PageState } from '../../components/page-state.tsx';
import { Pager } from '../../components/pager.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { searchValues } from '../../api/search-values.ts';
import { useNavigate, useSearch } from '../../routing/react/router-context.tsx';
import { BookmarkItem } from './bookmark-item.tsx';
import type { BookmarksSearch } from './bookmarks-search.ts';
import classes from './bookmarks.module.css';

const typingMs = 200;

/** The list of bookmarks [R2.16, R10.6]. */
export function BookmarksScreen() {
  const i18n = useI18n();
  const navigate = useNavigate();
  const asked: BookmarksSearch = useSearch({ from: '/bookmarks' });
  const [typed, setTyped] = useState(asked.q ?? '');
  const [search] = useDebouncedValue(typed, typingMs);
  const page = asked.page ?? 1;
  const query = useQuery(bookmarksQuery(page, searchValues(search)));
  const change = (changes: BookmarksSearch) =>
    void navigate({
      to: '/bookmarks',
      search: { ...asked, ...changes },
      replace: changes.q !== undefined,
    });
  const isEmpty = query.data?.total === 0 && search.trim() === '';
  return (
    <div className={classes.page}>
      <PageBar title={i18n.t('title.bookmarks')} />
      {!isEmpty && (
        <ListBar>
          <SearchField
            label={i18n.t('bookmarks.search')}
            value={typed}
            onChange={(q) => {
              setTyped(q);
              change({ q, page: 1 });
            }}
          />
        </ListBar>
      )}
      <Loaded query={query} skeletonPx={320}>
        {({ items, total }) => (
          <>
            {total === 0 ? (
              <PageState
                isInline
                icon={IconBookmark}
                title={i18n.t(isEmpty ? 'bookmarks.empty.title' : 'streams.nothing.title')}
                text={i18n.t(isEmpty ? 'bookmarks.empty.text' : 'bookmarks.nothing')}
              />
            ) : (
              <ItemList isStale={query.isPlaceholderData}>
                {items.map((bookmark) => (
                  <BookmarkItem key={bookmark.id} bookmark={bookmark} />
                ))}
              </ItemList>
            )}
            <Pager
              page={page}
              pageSize={bookmarksPageSize}
              total={total}
              onPage={(next) => change({ page: next })}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}
