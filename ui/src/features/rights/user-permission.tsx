import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { userQuery } from '../users/users-api.ts';
import { userPermissionsQuery, useSaveUserPermissions } from './rights-api.ts';
import { streamsPageQuery } from '../streams/streams-api.ts';
import { textOf } from '../../page/failures.ts';
import { notifySuccess } from '../../page/notify.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Notice } from '../../components/notice.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { RightsEditor } from './rights-editor.tsx';
import { searchValues } from '../../api/search-values.ts';
import { useParams } from '../../routing/react/router-context.tsx';

/** A user's rights on streams. */
export function UserPermissionScreen() {
  const i18n = useI18n();
  const { login } = useParams({ from: '/user/$login' });
  const { data: user } = useQuery(userQuery(login));
  const query = useQuery(userPermissionsQuery(login));
  const save = useSaveUserPermissions(login);
  if (user?.isAdmin && (query.data || !query.error)) return <Notice>{i18n.t('rights.admin')}</Notice>;
  return (
    <Loaded query={query} skeletonPx={200}>
      {({ items }) => (
        <RightsEditor
          key={query.dataUpdatedAt}
          saved={items.map(({ stream, streamName, ...rights }) => ({
            id: stream,
            name: streamName,
            rights,
          }))}
          isSaving={save.isPending}
          failure={save.error ? textOf(save.error, i18n) : null}
          onSave={(rows) =>
            save.mutate(
              rows.map(({ id, rights }) => ({ stream: id, ...rights })),
              { onSuccess: () => notifySuccess(i18n.t('rights.saved')) },
            )
          }
          picker={(add) => <StreamPicker onPick={add} />}
          emptyText={i18n.t('rights.user.empty')}
        />
      )}
    </Loaded>
  );
}

const typingMs = 200;

function StreamPicker({ onPick }: { onPick: (uid: string, name: string) => void }) {
  const i18n = useI18n();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, typingMs);
  const { data } = useQuery(streamsPageQuery({ sortType: 'name', searchingValues: searchValues(search) }, 1));
  const streams = data?.items ?? [];
  return (
    <Select
      size="sm"
      label={i18n.t('rights.addStream')}
      placeholder={i18n.t('streams.search')}
      searchable
      value={null}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage={i18n.t('streams.nothing.title')}
      // The server has already searched, in more fields than the name.
      filter={({ options }) => options}
      data={streams.map(({ uid, name }) => ({ value: uid, label: name }))}
      onChange={(uid) => {
        const picked = streams.find((stream) => stream.uid === uid);
        if (picked) onPick(picked.uid, picked.name);
        setTyped('');
      }}
    />
  );
}
