import type { LiveVariant } from '../live/session.ts';

/** A viewer whose connection the front passes to an engine, which completes the upgrade (RFC 6455, 4.2.2). */
export interface PassedViewer {
  /** Unique among the viewers of all fronts. */
  readonly id: string;
  readonly uid: string;
  readonly variant: LiveVariant;
  /** Of the request, those that the upgrade needs. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the client has sent after the request, base64. */
  readonly head: string;
  /** By which right the viewer watches, for a front that starts later. The engine doesn't read it. */
  readonly claim: unknown;
}

/** A viewer that an engine serves. */
export type PresentViewer = Pick<PassedViewer, 'id' | 'uid' | 'claim'>;
