import { useQuery } from '@tanstack/react-query';
import { userQuery } from '../users/users-api.ts';
import { userPermissionsQuery, useSaveUserPermissions } from './rights-api.ts';
import { textOf } from '../../page/failures.ts';
import { notifySuccess } from '../../page/notify.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Notice } from '../../components/notice.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { RightsEditor } from './rights-editor.tsx';
import { StreamTicks } from './stream-ticks.tsx';
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
          picker={(lines) => <StreamTicks lines={lines} />}
          emptyText={i18n.t('rights.user.empty')}
        />
      )}
    </Loaded>
  );
}
