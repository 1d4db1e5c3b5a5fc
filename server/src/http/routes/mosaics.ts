import { limits } from '@vidette/contract/constants';
import type { Mosaic, MosaicLayout, WatchedMosaic } from '@vidette/contract/entities';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { Principal } from '../../access/principal.ts';
import { canAdminMosaic, requireMosaicAdmin, requireMosaicView } from '../../access/mosaic-policy.ts';
import type { MosaicChanges, MosaicRecord } from '../../store/mosaics.ts';
import { changesBetween } from '../../system/audit-changes.ts';
import { fieldFault } from '../../base/field-fault.ts';
import { requireUnchanged } from '../../base/unchanged.ts';
import type { Registrar } from '../registrar.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { StreamManager } from '../../engine/stream-manager.ts';
import type { Membership } from '../../cluster/membership.ts';
import { requireStream, viewerOf } from '../../access/stream-policy.ts';
import { viewOf } from '../../streams/stream-view.ts';

/** What mosaics need. */
export interface MosaicServices {
  readonly clock: Clock;
  readonly store: Pick<Store, 'mosaics' | 'streamList'>;
  readonly streamManager: Pick<StreamManager, 'find' | 'state'>;
  readonly membership: Pick<Membership, 'isAvailable'>;
}

/** Walls of several streams. */
export function registerMosaics(registrar: Registrar, services: MosaicServices): void {
  const { store, streamManager, clock } = services;

  registrar.handle('listMosaics', async ({ principal, query }) => {
    const { page, pageSize, searchingValues: words } = query;
    const { items, total } = await store.mosaics.list(viewerOf(principal), { page, pageSize, words });
    const viewable = await store.streamList.viewableUids(viewerOf(principal));
    return { items: items.map((row) => mosaicView(principal, row, viewable)), total, page, pageSize };
  });

  registrar.handle('getMosaic', async ({ principal, params, query, language }) => {
    const view = await viewById(services, principal, params.id, language);
    if (query.extend_lease) {
      for (const { stream } of view.layout.cells)
        if (stream !== null) streamManager.find(stream)?.demand.extend();
    }
    return view;
  });

  registrar.handle('addMosaic', async ({ principal, body, audit, language }) => {
    await requireCells(services, principal, body.layout);
    const id = await store.mosaics.add({
      name: body.name,
      layout: body.layout,
      isShared: body.isShared,
      rotationSeconds: body.rotationSeconds,
      createdBy: principal.user.id,
      createdMs: clock.wallMs(),
    });
    audit.target = String(id);
    return viewById(services, principal, id, language);
  });

  registrar.handle('saveMosaic', async ({ principal, params, body, language, audit }) => {
    const old = requireMosaicView(principal, await store.mosaics.byId(params.id));
    requireMosaicAdmin(principal, old);
    const viewable = await store.streamList.viewableUids(viewerOf(principal));
    requireUnchanged(body, mosaicView(principal, old, viewable), ['id', 'meta', 'createdBy']);
    if (body.layout) await requireCells(services, principal, body.layout);
    const changes: MosaicChanges = {};
    if (body.name !== undefined) changes.name = body.name;
    if (body.layout !== undefined) {
      changes.layout = withHidden(body.layout, old.layout, viewable);
    }
    if (body.isShared !== undefined) changes.isShared = body.isShared;
    if (body.rotationSeconds !== undefined) changes.rotationSeconds = body.rotationSeconds;
    if (Object.keys(changes).length > 0) await store.mosaics.save(old.id, changes);
    const saved = (await store.mosaics.byId(old.id)) ?? old;
    audit.details = { changes: changesBetween(settingsOf(old), settingsOf(saved)) };
    return viewById(services, principal, old.id, language);
  });

  registrar.handle('deleteMosaic', async ({ principal, params }) => {
    const mosaic = requireMosaicView(principal, await store.mosaics.byId(params.id));
    requireMosaicAdmin(principal, mosaic);
    await store.mosaics.remove(mosaic.id);
    return {};
  });
}

/**
 * A cell that the reader was shown as empty, and sends back unchanged, keeps the stream that they may not see.
 */
function withHidden(
  layout: MosaicLayout,
  before: MosaicLayout,
  viewable: ReadonlySet<string> | undefined,
): MosaicLayout {
  const placeOf = ({ page, x, y, width, height }: MosaicLayout['cells'][number]) =>
    [page, x, y, width, height].join(' ');
  const hidden = new Map(
    before.cells.flatMap((cell) => {
      const isHidden = cell.stream !== null && viewable !== undefined && !viewable.has(cell.stream);
      return isHidden ? [[placeOf(cell), cell.stream]] : [];
    }),
  );
  const cells = layout.cells.map((cell) => ({
    ...cell,
    stream: cell.stream ?? hidden.get(placeOf(cell)) ?? null,
  }));
  return { ...layout, cells };
}

function settingsOf({ name, layout, isShared, rotationSeconds }: MosaicRecord): object {
  return { name, layout, isShared: isShared, rotationSeconds: rotationSeconds };
}

async function viewById(
  services: MosaicServices,
  principal: Principal,
  id: number,
  language: MessageLanguage,
): Promise<WatchedMosaic> {
  const { mosaics, streamList } = services.store;
  const row = requireMosaicView(principal, await mosaics.byId(id));
  const { cells } = row.layout;
  const uids = new Set(cells.flatMap(({ stream }) => stream ?? []));
  const seen = await streamList.findMany(viewerOf(principal), [...uids]);
  const viewable = new Set(seen.map(({ stream }) => stream.uid));
  const streams = seen.map((one) => viewOf(services, one, language));
  return { ...mosaicView(principal, row, viewable), streams };
}

/**
 * Cells are on the grid, do not overlap on their page, and show what the author may view. @throws Fault at the
 * cell
 */
async function requireCells(
  services: MosaicServices,
  principal: Principal,
  layout: MosaicLayout,
): Promise<void> {
  const taken = new Set<string>();
  const tiles = new Map<number, number>();
  for (const [index, cell] of layout.cells.entries()) {
    const isInside = cell.x + cell.width <= layout.columns && cell.y + cell.height <= layout.rows;
    if (!isInside) throw fieldFault('ValidationError', `layout.cells.${index}`, 'The cell leaves the grid.');
    const tilesHere = (tiles.get(cell.page) ?? 0) + 1;
    tiles.set(cell.page, tilesHere);
    if (tilesHere > limits.mosaicTilesPerPageMax) {
      const words = `A page shows at most ${limits.mosaicTilesPerPageMax} streams.`;
      throw fieldFault('ValidationError', `layout.cells.${index}`, words);
    }
    for (let y = cell.y; y < cell.y + cell.height; y++) {
      for (let x = cell.x; x < cell.x + cell.width; x++) {
        const place = `${cell.page} ${x} ${y}`;
        if (taken.has(place))
          throw fieldFault('ValidationError', `layout.cells.${index}`, 'Two cells overlap.');
        taken.add(place);
      }
    }
    if (cell.stream !== null) await requireStream(services.store.streamList, principal, cell.stream, 'view');
  }
}

/** Cells whose stream the reader may not view, or which no longer exists, are shown as empty. */
function mosaicView(
  principal: Principal,
  row: MosaicRecord,
  viewable: ReadonlySet<string> | undefined,
): Mosaic {
  const { layout } = row;
  const cells = layout.cells.map((cell) => {
    const isHidden = cell.stream !== null && viewable !== undefined && !viewable.has(cell.stream);
    return isHidden ? { ...cell, stream: null } : cell;
  });
  return {
    id: row.id,
    name: row.name,
    meta: { canAdmin: canAdminMosaic(principal, row) },
    layout: { ...layout, cells },
    isShared: row.isShared,
    rotationSeconds: row.rotationSeconds,
    createdBy: row.creatorLogin,
  };
}
