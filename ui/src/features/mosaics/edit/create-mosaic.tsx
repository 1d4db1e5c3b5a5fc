import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAddMosaic } from '../mosaics-api.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { PageBar } from '../../../components/page-bar.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { emptyLayout } from '../grid/presets.ts';
import { Link } from '../../../routing/react/link.tsx';
import { useNavigate } from '../../../routing/react/router-context.tsx';
import { MosaicForm } from './mosaic-form.tsx';

/** Creating a mosaic [R2.11]. */
export function CreateMosaicScreen() {
  const i18n = useI18n();
  const navigate = useNavigate();
  const add = useAddMosaic();
  const [initial] = useState(() => ({
    name: '',
    layout: emptyLayout('4'),
    isShared: false,
    rotationSeconds: 0,
  }));
  return (
    <>
      <PageBar title={i18n.t('title.createMosaic')} />
      <MosaicForm
        initial={initial}
        streams={[]}
        submitLabel={i18n.t('mosaicEdit.create')}
        isPending={add.isPending}
        onSubmit={(values, onSaved) =>
          add.mutate(values, {
            onSuccess: ({ id }) => {
              onSaved();
              notifySuccess(i18n.t('mosaics.saved'));
              void navigate({ to: '/mosaic/$id', params: { id: String(id) }, ignoreBlocker: true });
            },
          })
        }
        actions={
          <Button component={Link} to="/mosaics" size="sm" variant="default">
            {i18n.t('action.cancel')}
          </Button>
        }
      />
    </>
  );
}
