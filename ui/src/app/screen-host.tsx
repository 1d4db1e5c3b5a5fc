import { Component, Suspense, use, type ReactNode } from 'react';
import { usePlace } from '../routing/react/router-context.tsx';
import type { AddressName } from '../routing/addresses.ts';
import { CrashedScreen, NotFoundScreen, PendingScreen } from './fallback-screens.tsx';
import type { Screens } from './screens.ts';

/** The screen of the place where the page is. */
export function ScreenHost({ screens }: { screens: Screens }) {
  const place = usePlace();
  if (place.name === null) return <NotFoundScreen />;
  return (
    <Crashes until={place}>
      <Suspense fallback={<PendingScreen />}>
        <Drawn screens={screens} name={place.name} />
      </Suspense>
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

interface CrashesProps {
  /** A crash is over as soon as this is another one. */
  readonly until: object;
  readonly children: ReactNode;
}

interface CrashesState {
  readonly until: object;
  readonly crash: { readonly error: unknown } | null;
}

/** Keeps what a screen throws while it is drawn from taking the page with it. */
class Crashes extends Component<CrashesProps, CrashesState> {
  override state: CrashesState = { until: this.props.until, crash: null };

  static getDerivedStateFromError(error: unknown): Partial<CrashesState> {
    return { crash: { error } };
  }

  static getDerivedStateFromProps(
    { until }: CrashesProps,
    state: CrashesState,
  ): Partial<CrashesState> | null {
    return until === state.until ? null : { until, crash: null };
  }

  override render() {
    const { crash } = this.state;
    return crash ? <CrashedScreen error={crash.error} /> : this.props.children;
  }
}
