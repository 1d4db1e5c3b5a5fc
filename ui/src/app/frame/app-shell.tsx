import type { User } from '@vidette/contract/entities';
import { Suspense, useSyncExternalStore, type ReactNode } from 'react';
import { onProofRequest, proofRequest } from '../../api/proof.ts';
import { SignedInBanners } from './banners.tsx';
import classes from './app-shell.module.css';
import { Header } from './header.tsx';
import { SideBar } from './side-bar.tsx';
import { usePalette } from './use-palette.ts';
import { useSideBar } from './use-side-bar.ts';
import { useRouteLocation } from '../../routing/react/router-context.tsx';
import { lazyPart } from '../../page/lazy-part.ts';

// All of these open by a click or a key: the first frame does not wait for them.
const ProofDialog = lazyPart(async () => (await import('./proof-dialog.tsx')).ProofDialog);
const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette);

interface AppShellProps {
  readonly user: User;
  /** Shown above everything else below the header, such as the message that the server is unreachable. */
  readonly alert: ReactNode;
  readonly children: ReactNode;
}

/** The application frame around the screens of a signed-in user; a kiosk, which shows only video, has none. */
export function AppShell({ user, alert, children }: AppShellProps) {
  const sideBar = useSideBar();
  const palette = usePalette();
  const asked = useSyncExternalStore(onProofRequest, proofRequest);
  const { kiosk } = useRouteLocation().search;
  const isKiosk = kiosk === true;
  return (
    <>
      {!isKiosk && <Header user={user} sideBar={sideBar} onSearch={palette.open} />}
      {!isKiosk && sideBar.isOpen && (
        <SideBar user={user} isOver={sideBar.isSmall} onLeave={sideBar.giveWay} />
      )}
      <div className={classes.desk} data-beside={sideBar.isOpen && !sideBar.isSmall}>
        {!isKiosk && (
          <>
            {alert}
            <SignedInBanners />
          </>
        )}
        {children}
      </div>
      {asked && (
        <Suspense fallback={null}>
          <ProofDialog request={asked} />
        </Suspense>
      )}
      {palette.isOpen && (
        <Suspense fallback={null}>
          <Palette user={user} onClose={palette.close} />
        </Suspense>
      )}
    </>
  );
}
