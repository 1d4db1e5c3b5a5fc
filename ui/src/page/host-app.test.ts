import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasServerSwitcher, rememberHostApp, switchServer } from './host-app.ts';

function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

test('[R2.24] the server switcher is shown to the mobile app that requested it, for the browser session', () => {
  for (const [search, expected] of [
    ['?app=mobile&switcher=1', true],
    ['?app=mobile', false],
    ['?switcher=1', false],
    ['', false],
  ] as const) {
    const session = storage();
    rememberHostApp(search, session);
    rememberHostApp('', session);
    assert.equal(hasServerSwitcher(session), expected, search);
  }
});

test('[R2.24] switching notifies the app that hosts the page', () => {
  const messages: unknown[] = [];
  const parent = { postMessage: (message: unknown) => void messages.push(message) };
  switchServer({ parent });
  switchServer({
    parent,
    ReactNativeWebView: { postMessage: (text) => void messages.push(JSON.parse(text)) },
  });
  assert.deepEqual(messages, [{ type: 'switch-server' }, { type: 'switch-server' }]);
});
