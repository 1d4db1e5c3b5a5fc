import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import { useQuery } from '@tanstack/react-query';
import type { User } from '@vidette/contract/entities';
import { useState } from 'react';
import { usersPageSize, usersQuery } from '../users-api.ts';
import { DataTable, SortHead } from '../../../components/data-table.tsx';
import { ListBar } from '../../../components/list-bar.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { PageState } from '../../../components/page-state.tsx';
import { Pager } from '../../../components/pager.tsx';
import { SearchField } from '../../../components/search-field.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { searchValues } from '../../../api/search-values.ts';
import { roleText } from '../../account/role-text.ts';
import { Link } from '../../../routing/react/link.tsx';
import { useNavigate, useSearch } from '../../../routing/react/router-context.tsx';
import { sortOf, type UsersSearch } from './users-search.ts';
import classes from './users.module.css';

const typingMs = 200;

/** The users of this server [R2.14]; query, order and page are in the address. */
export function UsersScreen() {
  const i18n = useI18n();
  const { typed, type, sortType, page, query, change } = useUsersList();
  return (
    <>
      <ListBar
        end={
          <Button size="sm" renderRoot={(props) => <Link to="/user/add" {...props} />}>
            {i18n.t('title.userAdd')}
          </Button>
        }
      >
        <SearchField label={i18n.t('users.search')} value={typed} onChange={type} />
      </ListBar>
      <Loaded query={query} skeletonPx={240}>
        {({ items, total }) => (
          <>
            {total === 0 ? (
              <PageState
                isInline
                icon={IconUsers}
                title={i18n.t('streams.nothing.title')}
                text={i18n.t('users.nothing')}
              />
            ) : (
              <UsersTable
                users={items}
                sortType={sortType}
                onSort={(sort) => change({ sort, page: 1 })}
                isStale={query.isPlaceholderData}
              />
            )}
            <Pager
              page={page}
              pageSize={usersPageSize}
              total={total}
              onPage={(next) => change({ page: next })}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

/** The list for the query, order and page in the address; `type` takes the query as it is typed. */
function useUsersList() {
  const navigate = useNavigate();
  const asked: UsersSearch = useSearch({ from: '/administration/users' });
  const [typed, setTyped] = useState(asked.q ?? '');
  const [search] = useDebouncedValue(typed, typingMs);
  const sortType = sortOf(asked.sort);
  const page = asked.page ?? 1;
  const query = useQuery(usersQuery({ page, sortType, searchingValues: searchValues(search) }));
  const change = (changes: UsersSearch) =>
    void navigate({
      to: '/administration/users',
      search: { ...asked, ...changes },
      replace: changes.page === undefined || changes.q !== undefined,
    });
  const type = (q: string) => {
    setTyped(q);
    change({ q, page: 1 });
  };
  return { typed, type, sortType, page, query, change };
}

interface UsersTableProps {
  readonly users: readonly User[];
  readonly sortType: string;
  readonly onSort: (sort: string) => void;
  /** The users are from an earlier query. */
  readonly isStale: boolean;
}

function UsersTable({ users, sortType, onSort, isStale }: UsersTableProps) {
  const i18n = useI18n();
  return (
    <DataTable
      label={i18n.t('tab.users')}
      isStale={isStale}
      head={
        <>
          <SortHead name="name" sort={sortType} onSort={onSort}>
            {i18n.t('account.newLogin')}
          </SortHead>
          <th data-wide="true">{i18n.t('account.email')}</th>
          <th>{i18n.t('profile.info.role')}</th>
          <SortHead name="lastSeenTime" sort={sortType} onSort={onSort} isWide>
            {i18n.t('users.lastSeen')}
          </SortHead>
          <SortHead name="createdAt" sort={sortType} onSort={onSort} isWide>
            {i18n.t('profile.info.since')}
          </SortHead>
        </>
      }
    >
      {users.map((user) => (
        <UserRow key={user.name} user={user} />
      ))}
    </DataTable>
  );
}

function UserRow({ user }: { user: User }) {
  const i18n = useI18n();
  return (
    <tr>
      <td>
        <Link to="/user/$login/info" params={{ login: user.name }}>
          {user.name}
        </Link>
        {user.fullName && <div className={classes.note}>{user.fullName}</div>}
      </td>
      <td data-wide="true">{user.email || '–'}</td>
      <td>
        <div>{roleText(user, i18n)}</div>
        {user.isBlocked && <div className={classes.blocked}>{i18n.t('user.blocked')}</div>}
      </td>
      <td data-wide="true">
        {user.lastSeenTime === null ? i18n.t('users.neverSeen') : i18n.dateTime(user.lastSeenTime)}
      </td>
      <td data-wide="true">{i18n.date(user.createdAt)}</td>
    </tr>
  );
}
