import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAddressName, locationAt } from './addresses.ts';
import { QueryClient } from '@tanstack/react-query';
import { redirection, screenFor } from './admission.ts';
import { takeDestination } from '../page/sign-in-destination.ts';

const guest = { isLocked: false, isSignedIn: false };
const user = { isLocked: false, isSignedIn: true };

test('a visitor who is not signed in sees the sign-in screen or a public screen', () => {
  assert.equal(screenFor(locationAt('/ui/stream/gate/view'), guest), '/auth');
  assert.equal(screenFor(locationAt('/ui/recover-password'), guest), '/recover-password');
  assert.equal(screenFor(locationAt('/ui/auth'), user), '/auth');
  assert.equal(screenFor(locationAt('/ui/stream/gate/view'), user), '/stream/$uid/view');
});

test('[R2.18] an address that the page does not have has no screen', () => {
  assert.equal(screenFor(locationAt('/ui/nowhere'), guest), null);
});

test('a server that is not set up shows only the setup screen; one that is set up never does', () => {
  const locked = { isLocked: true, isSignedIn: false };
  for (const href of ['/ui', '/ui/auth', '/ui/nowhere', '/ui/init'])
    assert.equal(screenFor(locationAt(href), locked), '/init');
  assert.equal(screenFor(locationAt('/ui/init'), user), '/streams');
  assert.equal(screenFor(locationAt('/ui/init'), { isLocked: undefined, isSignedIn: false }), '/init');
});

test('[R2.21] a location to which the page redirected by itself is not stored as the wanted target', () => {
  const kept = new Map<string, string>();
  const session = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const queryClient = new QueryClient();
  queryClient.setQueryData(['settings'], { isLocked: false });
  const pass = (href: string) => {
    let target = redirection(locationAt(href), true, queryClient, session);
    for (
      let next = target;
      next;
      next = redirection(locationAt(`/ui${next.to}`), false, queryClient, session)
    )
      target = next;
    return target?.to;
  };
  // A bookmark of the setup screen, opened on a server that has been set up since.
  assert.equal(pass('/ui/init'), '/auth');
  assert.equal(pass('/ui/stream/gate/view'), '/auth');
  assert.deepEqual(takeDestination(session, isAddressName), {
    name: '/stream/$uid/view',
    params: { uid: 'gate' },
    search: {},
  });
});
