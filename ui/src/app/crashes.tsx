import { Component, type ReactNode } from 'react';
import { CrashedScreen } from './fallback-screens.tsx';

interface CrashesProps {
  /** A crash is over as soon as this is another one. */
  readonly until: object;
  readonly children: ReactNode;
}

interface CrashesState {
  readonly until: object;
  readonly crash: { readonly error: unknown } | null;
}

/** Keeps what is thrown while its children are drawn from taking more of the page with it. */
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
