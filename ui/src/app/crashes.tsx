import { Component, type ReactNode } from 'react';
import { CrashedScreen } from '../components/fallback-screens.tsx';

interface CrashesProps {
  /** A crash is cleared when this value changes. */
  readonly until: object;
  readonly children: ReactNode;
}

interface CrashesState {
  readonly until: object;
  readonly crash: { readonly error: unknown } | null;
}

/** Error boundary: an error thrown while its children render takes down no more of the page. */
export class Crashes extends Component<CrashesProps, CrashesState> {
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
