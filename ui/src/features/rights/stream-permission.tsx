import { Autocomplete, Button, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '@vidette/contract/client';
import { limits } from '@vidette/contract/constants';
import { useState } from 'react';
import { usersQuery } from '../users/users-api.ts';
import { useUser } from '../../api/session.ts';
import { useStream } from '../streams/streams-api.ts';
import { streamPermissionsQuery, useSaveStreamPermissions } from './rights-api.ts';
import { codeOf, textOf } from '../../page/failures.ts';
import { ForbiddenScreen } from '../../components/fallback-screens.tsx';
import { notifySuccess } from '../../page/notify.ts';
import { Loaded } from '../../components/loaded.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { RightsEditor } from './rights-editor.tsx';
import { useParams } from '../../routing/react/router-context.tsx';
import classes from './rights.module.css';

/** The rights of users on a stream. */
export function StreamPermissionScreen() {
  const i18n = useI18n();
  const { uid } = useParams({ from: '/stream/$uid' });
  const query = useQuery(streamPermissionsQuery(uid));
  const save = useSaveStreamPermissions(uid);
  const isAdmin = useUser()?.isAdmin === true;
  const { data: stream } = useStream(uid);
  const sent = save.variables ?? [];
  const refused = (error: Error) =>
    codeOf(error) === 'Forbidden' ? <ForbiddenScreen message={textOf(error, i18n)} /> : null;
  return (
    <Loaded query={query} skeletonPx={200} onError={refused}>
      {({ items }) => (
        <div className={classes.ofStream}>
          {!isAdmin && <Text size="sm">{i18n.t('rights.byLogin')}</Text>}
          <RightsEditor
            {...(stream && {
              mayGive: {
                view: true,
                archive: stream.canArchive,
                share: stream.canShare,
                edit: stream.canEdit,
              },
            })}
            key={query.dataUpdatedAt}
            saved={items.map(({ user, ...rights }) => ({ id: user, name: user, rights }))}
            isSaving={save.isPending}
            failure={save.error ? failureText(save.error, sent, i18n) : null}
            onSave={(rows) =>
              save.mutate(
                rows.map(({ id, rights }) => ({ user: id, ...rights })),
                { onSuccess: () => notifySuccess(i18n.t('rights.saved')) },
              )
            }
            picker={({ add }) => <UserPicker onPick={(login) => add([{ id: login, name: login }])} />}
            emptyText={i18n.t('rights.stream.empty')}
          />
        </div>
      )}
    </Loaded>
  );
}

/** Names the users unknown to the server, which refers to them by their position in the request. */
function failureText(error: unknown, sent: readonly { readonly user: string }[], i18n: I18n): string {
  const path = error instanceof ApiError ? error.fields[0]?.path : undefined;
  const place = /^items\.(\d+)\.user$/.exec(path ?? '')?.[1];
  const name = place === undefined ? undefined : sent[Number(place)]?.user;
  return name === undefined ? textOf(error, i18n) : i18n.t('rights.unknownUser', { name });
}

const typingMs = 200;

/** Administrators choose from the list of users; others have to know the login. */
function UserPicker({ onPick }: { onPick: (login: string) => void }) {
  const i18n = useI18n();
  const self = useUser();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), typingMs);
  const { data } = useQuery({
    ...usersQuery({ page: 1, sortType: 'name', searchingValues: search === '' ? [] : [search] }),
    enabled: self?.isAdmin === true,
  });
  const pick = (login: string) => {
    if (login.trim() === '') return;
    onPick(login.trim());
    setTyped('');
  };
  return (
    <div className={classes.picker}>
      <Autocomplete
        withScrollArea={false}
        size="sm"
        label={i18n.t('rights.addUser')}
        placeholder={i18n.t('profile.info.login')}
        maxLength={limits.loginMaxLength}
        autoCapitalize="none"
        spellCheck={false}
        value={typed}
        onChange={setTyped}
        onOptionSubmit={(login) => pick(login)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.defaultPrevented) return;
          event.preventDefault();
          pick(typed);
        }}
        filter={({ options }) => options}
        data={data?.items.flatMap(({ name, isAdmin }) => (isAdmin ? [] : name)) ?? []}
      />
      <Button size="sm" variant="default" disabled={typed.trim() === ''} onClick={() => pick(typed)}>
        {i18n.t('rights.add')}
      </Button>
    </div>
  );
}
