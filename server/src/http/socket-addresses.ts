import type { Call } from '@vidette/contract/call';
import { calls } from '@vidette/contract/calls';
import { routes, type CallName } from '@vidette/contract/routes';

/** The path of each call that becomes a WebSocket, part by part; a parameter is undefined. */
const socketPaths = (Object.keys(routes) as CallName[])
  .filter((name) => isSocket(calls[name]))
  .map((name) => routes[name].path.split('/').map((part) => (part.startsWith('{') ? undefined : part)));

function isSocket({ reply }: Call): boolean {
  return 'contentType' in reply && reply.contentType === 'websocket';
}

/** Whether a WebSocket is served at the address of a request. */
export function isSocketAddress(url: string): boolean {
  const parts = (url.split(/[?#;]/, 1)[0] ?? '').split('/', 16);
  return socketPaths.some(
    (path) =>
      path.length === parts.length &&
      path.every((part, index) => part === parts[index] || (part === undefined && parts[index] !== '')),
  );
}
