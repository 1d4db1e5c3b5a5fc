// The mobile app that may hold this page in a web view [R2.24]: it says so in the address the first time,
// `?app=mobile&switcher=1`, and the browser session remembers.

const key = 'vidette.serverSwitcher';

interface HostWindow {
  readonly parent: { postMessage(message: unknown, targetOrigin: string): void };
  readonly ReactNativeWebView?: { postMessage(message: string): void };
}

/** Remembers the flag of the address the page was opened by. */
export function rememberHostApp(search: string, storage: Pick<Storage, 'setItem'>): void {
  const query = new URLSearchParams(search);
  if (query.get('app') === 'mobile' && query.get('switcher') === '1') storage.setItem(key, '1');
}

/** Whether the host app can switch to another server. */
export function hasServerSwitcher(storage: Pick<Storage, 'getItem'>): boolean {
  return storage.getItem(key) === '1';
}

/** Asks the host app to switch; the message holds nothing secret, so any host may hear it. */
export function switchServer(host: HostWindow): void {
  const message = { type: 'switch-server' };
  if (host.ReactNativeWebView) host.ReactNativeWebView.postMessage(JSON.stringify(message));
  else host.parent.postMessage(message, '*');
}
