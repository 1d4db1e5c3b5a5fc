import { ApiError } from '@vidette/contract/client';
import { addressOf } from '@vidette/contract/routes';
import type { PlayerSource } from '../playback/player-source.ts';

/** The source behind a public link: live video, no recordings. */
export function sharedSource(key: string): PlayerSource {
  const refuse = () => Promise.reject(new ApiError('Forbidden', 'A public link shows no archive.', 403));
  return {
    openLive({ audio }) {
      const address = new URL(
        addressOf('watchShared', { key }, audio ? {} : { audio: false }),
        location.href,
      );
      address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
      return new WebSocket(address);
    },
    playlist: refuse,
    bytes: refuse,
    nextPlayable: refuse,
    previousPlayable: refuse,
  };
}
