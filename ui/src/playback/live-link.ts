import type { ReceivedLiveMessage } from '@vidette/contract/live';

/** The transport of a live stream: its own WebSocket, or a channel of a shared one. */
export interface LiveLink {
  /**
   * Something changed for the better (network back, tab shown, machine awake): a pause between attempts ends
   * now.
   */
  wake(): void;
  /** Requests the stream again without a pause, e.g. when its media could not be used. */
  restart(): void;
  /** Idempotent; no event follows. */
  close(): void;
}

/** Events of a link. */
export interface LiveLinkEvents {
  readonly onMessage: (message: ReceivedLiveMessage) => void;
  readonly onMedia: (bytes: Uint8Array) => void;
  /** The connection was lost; the link retries by itself. */
  readonly onLost: () => void;
}
