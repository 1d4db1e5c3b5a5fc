import { Suspense, use } from 'react';
import { usePlace } from '../routing/react/router-context.tsx';
import type { AddressName } from '../routing/addresses.ts';
import { Crashes } from './crashes.tsx';
import { NotFoundScreen, PendingScreen } from './fallback-screens.tsx';
import type { Screens } from './screens.ts';

/** The screen of the place where the page is. */
export function ScreenHost({ screens }: { screens: Screens }) {
  const place = usePlace();
  return (
    <Crashes until={place}>
      {place.name === null ? (
        <NotFoundScreen />
      ) : (
        <Suspense fallback={<PendingScreen />}>
          <Drawn screens={screens} name={place.name} />
        </Suspense>
      )}
    </Crashes>
  );
}

function Drawn({ screens, name }: { screens: Screens; name: AddressName }) {
  const found = screens.read(name);
  const { Screen, Frame } = found instanceof Promise ? use(found) : found;
  return Frame === null ? (
    <Screen />
  ) : (
    <Frame>
      <Screen />
    </Frame>
  );
}
