import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEndAllSessions } from '../account-api.ts';
import { forgetSession } from '../../../api/session.ts';
import { clearDestination } from '../../../page/sign-in-destination.ts';
import { notifySuccess } from '../../../page/notify.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { useNavigate } from '../../../routing/react/router-context.tsx';

/** Asks whether ending all sessions includes this session and the API tokens. */
export function EndSessionsDialog({ onClose }: { onClose: () => void }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [keepTokens, setKeepTokens] = useState(false);
  const [includeCurrent, setIncludeCurrent] = useState(false);
  const endAll = useEndAllSessions();
  const end = () =>
    endAll.mutate(
      { keepTokens, includeCurrent },
      {
        onSuccess: () => {
          onClose();
          notifySuccess(i18n.t('sessions.allEnded'));
          if (!includeCurrent) return;
          forgetSession(queryClient);
          clearDestination(sessionStorage);
          void navigate({ to: '/auth' });
        },
      },
    );
  return (
    <Dialog isOpen onClose={onClose} title={i18n.t('sessions.endAll')}>
      <Stack gap="md">
        <Text size="sm">{i18n.t('sessions.endAll.text')}</Text>
        <Checkbox
          label={i18n.t('account.keepTokens')}
          checked={keepTokens}
          onChange={(event) => setKeepTokens(event.currentTarget.checked)}
        />
        <Checkbox
          label={i18n.t('sessions.endAll.current')}
          checked={includeCurrent}
          onChange={(event) => setIncludeCurrent(event.currentTarget.checked)}
        />
        <Group gap={8}>
          <Button size="sm" color="red" loading={endAll.isPending} onClick={end}>
            {i18n.t('sessions.endAll')}
          </Button>
          <Button size="sm" variant="default" onClick={onClose}>
            {i18n.t('action.cancel')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
