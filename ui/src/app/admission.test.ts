import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeAt } from '../routing/place.ts';
import { screenFor } from './admission.ts';

const guest = { isLocked: false, isSignedIn: false };
const user = { isLocked: false, isSignedIn: true };

test('whoever is not signed in comes to the sign-in, but to what is for everybody', () => {
  assert.equal(screenFor(placeAt('/ui/stream/gate/view'), guest), '/auth');
  assert.equal(screenFor(placeAt('/ui/recover-password'), guest), '/recover-password');
  assert.equal(screenFor(placeAt('/ui/auth'), user), '/auth');
  assert.equal(screenFor(placeAt('/ui/stream/gate/view'), user), '/stream/$uid/view');
});

test('[R2.18] what the page does not have is nobody’s', () => {
  assert.equal(screenFor(placeAt('/ui/nowhere'), guest), null);
});

test('a server that nobody has set up shows that alone; one that is set up does not', () => {
  const locked = { isLocked: true, isSignedIn: false };
  for (const href of ['/ui', '/ui/auth', '/ui/nowhere', '/ui/init'])
    assert.equal(screenFor(placeAt(href), locked), '/init');
  assert.equal(screenFor(placeAt('/ui/init'), user), '/streams');
  assert.equal(screenFor(placeAt('/ui/init'), { isLocked: undefined, isSignedIn: false }), '/init');
});
