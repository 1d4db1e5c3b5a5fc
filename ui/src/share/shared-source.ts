import { addressOf } from '@vidette/contract/routes';

/** Requests the live video behind a public link. */
export function openShared(key: string, { audio }: { audio: boolean }): WebSocket {
  const address = new URL(addressOf('watchShared', { key }, audio ? {} : { audio: false }), location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return new WebSocket(address);
}
