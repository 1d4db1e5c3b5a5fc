// The mobile app that may host this page in a web view [R2.24]: the address says so the first time,
// `?app=mobile&switcher=1`, and session storage keeps it.

const key = 'vidette.serverSwitcher';

interface HostWindow {
  readonly parent: { postMessage(message: unknown, targetOrigin: string): void };
  readonly ReactNativeWebView?: { postMessage(message: string): void };
}

/** Stores the flag from the address by which the page was opened. */
export function rememberHostApp(search: string, storage: Pick<Storage, 'setItem'>): void {
  const query = new URLSearchParams(search);
  if (query.get('app') === 'mobile' && query.get('switcher') === '1') storage.setItem(key, '1');
}

/** Whether the host app can switch to another server. */
export function hasServerSwitcher(storage: Pick<Storage, 'getItem'>): boolean {
  return storage.getItem(key) === '1';
}

/** Asks the host app to switch; the message contains nothing secret, so any host may receive it. */
export function switchServer(host: HostWindow): void {
  const message = { type: 'switch-server' };
  if (host.ReactNativeWebView) host.ReactNativeWebView.postMessage(JSON.stringify(message));
  else host.parent.postMessage(message, '*');
}
