import { Suspense, use } from 'react';
import { useRouteLocation } from '../routing/react/router-context.tsx';
import type { AddressName } from '../routing/addresses.ts';
import { Crashes } from './crashes.tsx';
import { NotFoundScreen, PendingScreen } from '../components/fallback-screens.tsx';
import type { Screens } from './screens.ts';

/** The screen of the current location. */
export function ScreenHost({ screens }: { screens: Screens }) {
  const location = useRouteLocation();
  return (
    <Crashes until={location}>
      {location.name === null ? (
        <NotFoundScreen />
      ) : (
        <Suspense fallback={<PendingScreen />}>
          <Drawn screens={screens} name={location.name} />
        </Suspense>
      )}
    </Crashes>
  );
}

function Drawn({ screens, name }: { screens: Screens; name: AddressName }) {
  const found = screens.read(name);
  const { Screen, Frame: ScreenFrame } = found instanceof Promise ? use(found) : found;
  return ScreenFrame === null ? (
    <Screen />
  ) : (
    <ScreenFrame>
      <Screen />
    </ScreenFrame>
  );
}
