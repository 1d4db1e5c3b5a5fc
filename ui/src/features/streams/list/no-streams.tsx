import { Button } from '@mantine/core';
import IconDeviceCctv from '@tabler/icons-react/dist/esm/icons/IconDeviceCctv.mjs';
import { mayAddStreams, useSettings, useUser } from '../../../api/session.ts';
import { useAddStream } from '../streams-api.ts';
import { textOf } from '../../../page/failures.ts';
import { notifyError } from '../../../page/notify.ts';
import { guideAddress } from '../../../components/guide-link.tsx';
import { PageState } from '../../../components/page-state.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { Link } from '../../../routing/react/link.tsx';
import { useNavigate } from '../../../routing/react/router-context.tsx';

/** The empty list: says what to do next, and offers a demo stream to users without a camera. */
export function NoStreams() {
  const i18n = useI18n();
  const user = useUser();
  const { isLicenseExpired } = useSettings();
  const navigate = useNavigate();
  const add = useAddStream();
  const addDemo = () =>
    add.mutate(
      { name: i18n.t('streams.demo.name'), streamSource: 'demo:', archive: { isEnable: true } },
      {
        onSuccess: ({ uid }) => void navigate({ to: '/stream/$uid/view', params: { uid } }),
        onError: (error) => notifyError(i18n.t('streams.failed.add'), textOf(error, i18n)),
      },
    );
  if (!mayAddStreams(user)) {
    return (
      <PageState
        isInline
        icon={IconDeviceCctv}
        title={i18n.t('streams.empty.title')}
        text={i18n.t('streams.empty.readOnly')}
      />
    );
  }
  if (isLicenseExpired) {
    return (
      <PageState
        isInline
        icon={IconDeviceCctv}
        title={i18n.t('streams.empty.title')}
        text={i18n.t('nav.addStream.license')}
      />
    );
  }
  return (
    <PageState
      isInline
      icon={IconDeviceCctv}
      title={i18n.t('streams.empty.title')}
      text={i18n.t('streams.empty.text')}
      action={
        <>
          <Button component={Link} to="/add-stream" size="sm">
            {i18n.t('nav.addStream')}
          </Button>
          <Button size="sm" variant="default" loading={add.isPending} onClick={addDemo}>
            {i18n.t('streams.demo.add')}
          </Button>
          <MoveInButton />
        </>
      }
    />
  );
}

/** Leads to the guide of those who come from another program. */
function MoveInButton() {
  const i18n = useI18n();
  return (
    <Button
      component="a"
      href={guideAddress('move-in')}
      target="_blank"
      rel="noreferrer"
      size="sm"
      variant="subtle"
    >
      {i18n.t('streams.empty.moveIn')}
    </Button>
  );
}
