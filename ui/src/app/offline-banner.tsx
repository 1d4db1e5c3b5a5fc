import IconPlugConnectedX from '@tabler/icons-react/dist/esm/icons/IconPlugConnectedX.mjs';
import { useI18n } from '../i18n/i18n-context.tsx';
import { Banner } from '../components/banner.tsx';
import { useIsServerLost } from '../page/page-context.tsx';

/** The message that the server has stopped answering [R7.53]; it disappears when the server is back. */
export function OfflineBanner() {
  const i18n = useI18n();
  const isLost = useIsServerLost();
  return (
    <div role="alert">
      {isLost && (
        <Banner kind="danger" icon={<IconPlugConnectedX size={18} aria-hidden="true" />}>
          <strong>{i18n.t('state.offline.title')}</strong> {i18n.t('state.offline.text')}
        </Banner>
      )}
    </div>
  );
}
