import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HubEvent, NumberedEvent } from './event-hub.ts';
import type { EventViewer, RenderedEvent } from './event-subscription.ts';
import { SharedRenders } from './shared-renders.ts';

/** Renders nothing but the entries that the viewer owns or everyone sees, and counts how often. */
function scene(owners: Readonly<Record<number, number>> = {}) {
  let renders = 0;
  const shared = new SharedRenders((viewer, { event }) => {
    renders++;
    if (event.type !== 'journal') return Promise.resolve({ name: 'streams', data: {} });
    const items = event.ids
      .filter((id) => [undefined, viewer.principal.user.id].includes(owners[id]))
      .map((id) => ({ id }));
    return Promise.resolve({ name: 'journal', data: { items } } as unknown as RenderedEvent);
  });
  const viewer = (id: number, isAdmin: boolean, language = 'en') =>
    ({
      principal: { user: { id }, isAdmin },
      language,
      uids: isAdmin ? undefined : new Set(),
    }) as unknown as EventViewer;
  let lastId = 0;
  const numbered = (event: HubEvent): NumberedEvent => ({ id: ++lastId, event });
  return { shared, viewer, numbered, renders: () => renders };
}

const idsOf = (event: RenderedEvent | undefined) =>
  event?.name === 'journal' ? event.data.items.map(({ id }) => id) : [];

test('[R11.2] administrators of one language share what they are told; everyone else is judged for each connection', async () => {
  const { shared, viewer, numbered, renders } = scene();
  const event = numbered({ type: 'journal', ids: [7, 8] });
  const all = await Promise.all([1, 2, 3].map((id) => shared.render(viewer(id, true), event)));
  assert.deepEqual(all.map(idsOf), [
    [7, 8],
    [7, 8],
    [7, 8],
  ]);
  assert.equal(renders(), 1);
  await shared.render(viewer(1, true, 'ru'), event);
  assert.equal(renders(), 2);
  await shared.render(viewer(4, false), event);
  await shared.render(viewer(4, false), event);
  assert.equal(renders(), 4);
  await shared.render(viewer(1, true), numbered({ type: 'streams' }));
  assert.equal(renders(), 5);
});

test('[R11.1] an entry of one administrator reaches no other', async () => {
  const { shared, viewer, numbered } = scene({ 8: 2 });
  const event = numbered({ type: 'journal', ids: [7, 8] });
  assert.deepEqual(idsOf(await shared.render(viewer(1, true), event)), [7]);
  assert.deepEqual(idsOf(await shared.render(viewer(2, true), event)), [7, 8]);
  assert.deepEqual(idsOf(await shared.render(viewer(3, true), event)), [7]);
});
