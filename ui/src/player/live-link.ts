import type { LiveMessage } from './live-message.ts';

/** What brings a live stream: a WebSocket of its own, or a channel of one that it shares. */
export interface LiveLink {
  /** Something changed for the better (network back, tab shown, machine awake): a pause between tries ends now. */
  wake(): void;
  /** Asks for the stream anew without a pause, e.g. when its media could not be used. */
  restart(): void;
  /** Idempotent; no event follows. */
  close(): void;
}

/** What a link tells whoever asked for it. */
export interface LiveLinkEvents {
  readonly onMessage: (message: LiveMessage) => void;
  readonly onMedia: (bytes: Uint8Array) => void;
  /** Nothing comes any more; another try follows by itself. */
  readonly onLost: () => void;
}
