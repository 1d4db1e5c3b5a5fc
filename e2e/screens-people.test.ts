import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { until } from './api.ts';
import { seriousFaults } from './axe.ts';
import { signIn } from './server.ts';
import { button, TestEnv } from './test-env.ts';
import { inStore } from './stored.ts';

// The screens about users, their rights and the public link, against the real server.

const guard = { name: 'guard', password: 'seven quiet otters 5' };

let testEnv: TestEnv;
let client: Client;
let gate: string;

before(async () => {
  testEnv = await TestEnv.start();
  ({ client } = testEnv);
  ({ uid: gate } = await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } }));
  await client.addUser({ body: { ...guard, fullName: 'Night Guard' } });
});

after(() => testEnv?.close());

test('[R2.6] a user is added, errors at their fields, and rights are given next', () =>
  testEnv.open('/user/add', async (page) => {
    await button(page, 'Add the user').click();
    await page.getByText('Choose a login').waitFor();
    await page.getByLabel('Login').fill(guard.name);
    await page.getByLabel('Password', { exact: true }).fill('short');
    await button(page, 'Add the user').click();
    await page.getByText('Already used.').waitFor();
    await page.getByLabel('Login').fill('nina');
    await page.keyboard.press('Enter');
    await page.getByText('Password is not complex enough.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(guard.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ui/user/nina/permission');
    await page.getByRole('checkbox', { name: 'Gate 2' }).check();
    const line = page.getByRole('group', { name: 'Gate 2' });
    await line.getByLabel('Archive').check();
    await button(page, 'Save').click();
    await page.getByText('Permissions have been saved').waitFor();
    const { items } = await client.getUserPermissions({ params: { login: 'nina' } });
    assert.deepEqual(items, [
      { stream: gate, streamName: 'Gate 2', view: true, archive: true, share: false, edit: false },
    ]);
  }));

test('[R2.7] [R6.5] the streams of a user are ticked one by one, by tag, or all', async () => {
  const add = (name: string, tags: string[]) =>
    client.addStream({
      body: { name, streamSource: 'demo:', tags, live: { onDemand: true }, archive: { isEnable: false } },
    });
  const added = [await add('Dock', ['yard', 'doors']), await add('Hall', ['doors'])];
  await client.addUser({ body: { name: 'ticks', password: guard.password } });
  await testEnv.open('/user/ticks/permission', async (page) => {
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true }).first();
    const lines = () => page.locator('li fieldset legend').allInnerTexts();
    await box('doors').check();
    assert.deepEqual((await lines()).toSorted(), ['Dock', 'Hall']);
    await box('yard').uncheck();
    assert.deepEqual(await lines(), ['Hall']);
    await box('Select all').check();
    // Two tags do not make a stream two lines.
    assert.deepEqual((await lines()).toSorted(), ['Dock', 'Gate 2', 'Hall']);
    assert.ok(await box('Untagged').isChecked());
    await button(page, 'Save').click();
    await page.getByText('Permissions have been saved').waitFor();
    await box('Select all').uncheck();
    assert.deepEqual(await lines(), []);
  });
  const { items } = await client.getUserPermissions({ params: { login: 'ticks' } });
  assert.equal(items.length, 3);
  await client.deleteUser({ params: { login: 'ticks' } });
  for (const { uid } of added) await client.deleteStream({ params: { uid } });
});

test('[R2.7] a user is changed, blocked and unblocked, signed out, and deleted by typing the login', async () => {
  await client.addUser({ body: { name: 'temp', password: guard.password } });
  const own = await signIn(testEnv.server, 'temp', guard.password);
  await testEnv.open('/user/temp', async (page) => {
    await page.waitForURL('**/ui/user/temp/info');
    await page.getByRole('link', { name: 'Sessions' }).click();
    await button(page, 'End this session').click();
    await page.getByText('Not signed in anywhere.').waitFor();
    assert.equal((await fetch(`${testEnv.server.url}/v1/profile`, { headers: { cookie: own } })).status, 401);
    await button(page, 'Block').click();
    await button(page, 'Unblock').click();
    await button(page, 'Block').waitFor();
    assert.equal((await client.getUser({ params: { login: 'temp' } })).isBlocked, false);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Login').fill('temp.2');
    await page.getByLabel('Role', { exact: true }).selectOption({ label: 'User' });
    await page.getByLabel('Streams the user can add').selectOption({ label: 'Limited' });
    await page.getByLabel('At most').fill('none');
    await button(page, 'Save').click();
    await page.getByText('A whole number from 1').waitFor();
    await page.getByLabel('At most').fill('3');
    await button(page, 'Save').click();
    await page.waitForURL('**/ui/user/temp.2/edit');
    assert.equal((await client.getUser({ params: { login: 'temp.2' } })).maxStreamCreation, 3);
    await button(page, 'Delete temp.2…').click();
    assert.ok(await button(page, 'Delete temp.2').isDisabled());
    await page.getByLabel('Type “temp.2” to confirm').fill('temp.2');
    await button(page, 'Delete temp.2').click();
    await page.waitForURL('**/ui/administration/users');
    await page.getByRole('link', { name: 'guard' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'temp.2' }).count(), 0);
  });
});

test('[R2.14] users are searched and sorted, and the address keeps both', () =>
  testEnv.open('/administration/users', async (page) => {
    await page.getByRole('link', { name: 'guard' }).waitFor();
    await page.getByRole('button', { name: 'Login' }).click();
    const logins = () => page.locator('tbody tr td:first-child a').allTextContents();
    await until(logins, (found) => found[0] === [...found].sort().at(-1) && found.length > 1);
    await page.getByRole('searchbox').fill('night');
    await until(logins, (found) => found.join() === 'guard');
    await page.reload();
    await until(logins, (found) => found.join() === 'guard');
    assert.equal(await page.getByRole('searchbox').inputValue(), 'night');
    await page.getByRole('searchbox').fill('no such user');
    await page.getByText('No user matches all the words.').waitFor();
  }));

test('[R2.9] the rights on a stream are edited on its page; an unknown login is named', () =>
  testEnv.open(`/stream/${gate}/permission`, async (page) => {
    const field = page.getByRole('combobox', { name: 'Add a user' });
    await field.fill('unknown.user');
    await field.press('Enter');
    await button(page, 'Save').click();
    await page.getByText('User “unknown.user” does not exist').waitFor();
    await button(page, 'Remove unknown.user').click();
    await field.fill(guard.name);
    await page.getByRole('option', { name: guard.name }).click();
    await page.getByRole('group', { name: guard.name }).getByLabel('Share').check();
    await button(page, 'Save').click();
    await page.getByText('Permissions have been saved').waitFor();
    const { items } = await client.getStreamPermissions({ params: { uid: gate } });
    assert.deepEqual(
      items.find(({ user }) => user === guard.name),
      { user: guard.name, view: true, archive: false, share: true, edit: false },
    );
  }));

test('[R2.9] [R2.6] some time after signing in, changing rights requires the password, once', async () => {
  await client.addUser({ body: { ...guard, name: 'chief', isAdmin: true } });
  await client.addUser({ body: { ...guard, name: 'porter' } });
  const cookie = await signIn(testEnv.server, 'chief', guard.password);
  await inStore(
    testEnv.server,
    `UPDATE session_proofs SET proved_ms = 1 WHERE session_id IN
      (SELECT id FROM sessions WHERE user_id = (SELECT id FROM users WHERE login = 'chief'))`,
  );
  await testEnv.openAs(cookie, `/stream/${gate}/permission`, async (page) => {
    const save = async (name: string) => {
      await page.getByRole('combobox', { name: 'Add a user' }).fill(name);
      await page.getByRole('option', { name }).click();
      await button(page, 'Save').click();
    };
    const dialog = page.getByRole('dialog', { name: 'Enter your password' });
    const saved = page.getByText('Permissions have been saved');
    await save('porter');
    await dialog.getByLabel('Password', { exact: true }).fill(guard.password);
    await button(page, 'Confirm').click();
    await saved.waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.goto(`${testEnv.server.url}/ui/user/add`);
    await page.getByLabel('Login').fill('second');
    await page.getByLabel('Password', { exact: true }).fill(guard.password);
    await button(page, 'Add the user').click();
    await page.waitForURL('**/ui/user/second/permission');
    assert.equal(await dialog.count(), 0);
  });
  const { items } = await client.getStreamPermissions({ params: { uid: gate } });
  assert.ok(items.some(({ user }) => user === 'porter'));
  for (const login of ['chief', 'porter', 'second']) await client.deleteUser({ params: { login } });
});

test('[R6.4] [R2.7] data managed by another system can’t be changed here, and both pages show why', async () => {
  const person = { ...guard, name: 'managed', email: 'managed@example.org', fullName: 'Managed Person' };
  await client.addUser({ body: person });
  await inStore(testEnv.server, `UPDATE users SET is_managed = 1 WHERE login = 'managed'`);
  const cookie = await signIn(testEnv.server, person.name, person.password);
  const isClosed = async (page: Page, labels: readonly string[]) => {
    await page
      .getByText('Name, e-mail and password of this account are managed in another system.')
      .waitFor();
    for (const label of labels) assert.ok(await page.getByLabel(label, { exact: true }).isDisabled(), label);
    assert.equal(await page.locator('input[type=password]').count(), 0);
  };
  await testEnv.open('/user/managed/edit', async (page) => {
    await isClosed(page, ['Login', 'Full name', 'E-mail']);
    // The rights are managed on this server.
    await page.getByLabel('Role', { exact: true }).selectOption({ label: 'User' });
    await page.getByLabel('Streams the user can add').selectOption({ label: 'Limited' });
    await page.getByLabel('At most').fill('4');
    await button(page, 'Save').click();
    await until(
      async () => (await client.getUser({ params: { login: 'managed' } })).maxStreamCreation,
      (most) => most === 4,
    );
  });
  await testEnv.openAs(cookie, '/profile/me/edit', (page) => isClosed(page, ['Full name', 'E-mail']));
  const { email, fullName } = await client.getUser({ params: { login: 'managed' } });
  assert.deepEqual([email, fullName], [person.email, person.fullName]);
  await client.deleteUser({ params: { login: 'managed' } });
});

test('[R7.9] a user who may share can show the public link, allow embedding, and revoke it', async () => {
  await client.saveStreamPermissions({
    params: { uid: gate },
    body: { items: [{ user: guard.name, share: true }] },
  });
  const own = await signIn(testEnv.server, guard.name, guard.password);
  await testEnv.openAs(own, `/stream/${gate}/info`, async (page) => {
    await button(page, 'Create a public link').click();
    const link = await page.getByLabel('Public link').textContent();
    assert.ok(link?.startsWith(`${testEnv.server.url}/ui/share/`), String(link));
    await page.getByRole('img', { name: 'QR code of the public link of Gate 2' }).waitFor();
    await page.getByRole('switch', { name: 'Allow other sites to embed it' }).click({ force: true });
    await page.getByLabel('Embed code').waitFor();
    const key = link?.split('/').at(-1) ?? '';
    assert.equal((await fetch(`${testEnv.server.url}/v1/share/${key}`)).status, 200);
    await button(page, 'Revoke the public link').click();
    await button(page, 'Create a public link').waitFor();
    assert.equal((await fetch(`${testEnv.server.url}/v1/share/${key}`)).status, 404);
  });
});

test('[R7.9] the player shares the stream: its public link, copied and as a QR code, in a dialog', () =>
  testEnv.open(`/stream/${gate}/view`, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(page, 'Share').click();
    const dialog = page.getByRole('dialog', { name: 'Share Gate 2' });
    await dialog.getByRole('button', { name: /Create a public link|Show the link/ }).click();
    await dialog.getByRole('img', { name: 'QR code of the public link of Gate 2' }).waitFor();
    const link = await dialog.getByLabel('Public link', { exact: true }).textContent();
    await dialog.getByRole('button', { name: 'Copy' }).first().click();
    await dialog.getByText('Copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
    // Anyone can open it.
    assert.equal((await fetch(link ?? '')).status, 200);
    assert.deepEqual(await seriousFaults(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until(
      () => page.evaluate(() => document.activeElement?.getAttribute('data-share')),
      (mark) => mark === '',
    );
    // A link that exists needs no second question, not even in another session.
    await page.reload();
    await button(page, 'Share').click();
    assert.equal(await dialog.getByLabel('Public link', { exact: true }).textContent(), link);
    await testEnv.client.revokeStreamShare({ params: { uid: gate } });
  }));

test('[R2.10] the name derived from the address appears in the empty field, and never mixes with a typed one', () =>
  testEnv.open('/add-stream', async (page) => {
    const address = page.getByLabel('Address of the camera');
    const name = page.getByLabel('Name', { exact: true });
    await address.fill('rtsp://192.0.2.10/live');
    await name.click();
    assert.equal(await name.getAttribute('placeholder'), '192.0.2.10');
    await page.keyboard.type('Gate');
    assert.equal(await name.inputValue(), 'Gate');
    await name.fill('');
    await address.fill('demo:');
    await button(page, 'Add the stream').click();
    await page.getByRole('heading', { name: 'Demo', exact: true }).waitFor();
  }));
