import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { WatchedMosaic } from '@vidette/contract/entities';
import { messageOf } from '@vidette/contract/errors';
import { useState } from 'react';
import { editedMosaicQuery, isNoMosaic, useDeleteMosaic, useSaveMosaic } from '../mosaics-api.ts';
import { textOf } from '../../../page/failures.ts';
import { ForbiddenScreen } from '../../../components/fallback-screens.tsx';
import { notifySuccess } from '../../../page/notify.ts';
import { usePageTitle } from '../../../page/title.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { PageBar } from '../../../components/page-bar.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { isRefused } from '../../streams/watched-stream.ts';
import { Link } from '../../../routing/react/link.tsx';
import { Navigate } from '../../../routing/react/navigate.tsx';
import { useNavigate, useParams } from '../../../routing/react/router-context.tsx';
import { MosaicForm } from './mosaic-form.tsx';

/** Editing a mosaic [R2.13], for users who may administer it [R6.6]. */
export function EditMosaicScreen() {
  const i18n = useI18n();
  const { id } = useParams({ from: '/mosaic/$id/edit' });
  const query = useQuery(editedMosaicQuery(id));
  const { data, error } = query;
  usePageTitle(data?.name);
  if (isNoMosaic(error)) return <Navigate to="/not-found" />;
  if (isRefused(error)) return <ForbiddenScreen message={textOf(error, i18n)} />;
  if (data && !data.meta.canAdmin) return <ForbiddenScreen message={messageOf('Forbidden', i18n.language)} />;
  return (
    <Loaded query={query} skeletonPx={480}>
      {(mosaic) => <EditorPanel key={mosaic.id} mosaic={mosaic} />}
    </Loaded>
  );
}

function EditorPanel({ mosaic }: { mosaic: WatchedMosaic }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const save = useSaveMosaic(mosaic.id);
  const { name, layout, isShared, rotationSeconds } = mosaic;
  const params = { id: String(mosaic.id) };
  return (
    <>
      <PageBar title={mosaic.name} />
      <MosaicForm
        initial={{ name, layout, isShared, rotationSeconds }}
        streams={mosaic.streams}
        submitLabel={i18n.t('action.save')}
        isPending={save.isPending}
        onSubmit={(values, onSaved) =>
          save.mutate(values, {
            onSuccess: () => {
              onSaved();
              notifySuccess(i18n.t('mosaics.saved'));
              void navigate({ to: '/mosaic/$id', params, ignoreBlocker: true });
            },
          })
        }
        actions={
          <>
            <Button
              size="sm"
              variant="default"
              renderRoot={(props) => <Link to="/mosaic/$id" params={params} {...props} />}
            >
              {i18n.t('action.cancel')}
            </Button>
            <DeleteMosaic mosaic={mosaic} />
          </>
        }
      />
    </>
  );
}

function DeleteMosaic({ mosaic }: { mosaic: WatchedMosaic }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const remove = useDeleteMosaic(mosaic.id);
  const [isAsking, setAsking] = useState(false);
  const { name } = mosaic;
  return (
    <>
      <Button size="sm" variant="outline" color="red" onClick={() => setAsking(true)}>
        {i18n.t('mosaicEdit.delete')}
      </Button>
      <Dialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={i18n.t('mosaicEdit.delete.title', { name })}
      >
        <p>{i18n.t('mosaicEdit.delete.text')}</p>
        <Group gap={8} mt="md">
          <Button
            size="sm"
            color="red"
            loading={remove.isPending}
            onClick={() =>
              remove.mutate(undefined, {
                onSuccess: () => {
                  notifySuccess(i18n.t('mosaics.deleted'));
                  void navigate({ to: '/mosaics', replace: true, ignoreBlocker: true });
                },
              })
            }
          >
            {i18n.t('mosaicEdit.delete.confirm', { name })}
          </Button>
          <Button size="sm" variant="default" onClick={() => setAsking(false)}>
            {i18n.t('action.cancel')}
          </Button>
        </Group>
      </Dialog>
    </>
  );
}
