import { limits } from '@vidette/contract/constants';
import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import type { Mosaic, MosaicLayout, WatchedMosaic } from '@vidette/contract/entities';
import type { MessageLanguage } from '@vidette/contract/errors';
import { canAdminMosaic, requireMosaicAdmin, requireMosaicView } from '../access/mosaic-policy.ts';
import type { Principal } from '../access/principal.ts';
import { requireStream, viewerOf } from '../access/stream-policy.ts';
import type { Clock } from '../base/clock.ts';
import { fieldFault } from '../base/field-fault.ts';
import { requireUnchanged } from '../base/unchanged.ts';
import type { Membership } from '../cluster/membership.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { MosaicChanges, MosaicRecord } from '../store/mosaics.ts';
import type { Store } from '../store/store.ts';
import type { StreamListing } from '../store/stream-list.ts';
import { viewOf } from '../streams/stream-view.ts';
import { changesBetween } from '../system/audit-changes.ts';
import type { AuditNote } from '../system/audit-event.ts';

type MosaicToAdd = z.output<Calls['addMosaic']['body']>;
type MosaicToSave = z.output<Calls['saveMosaic']['body']>;

export interface MosaicServiceOptions {
  readonly clock: Clock;
  readonly store: Pick<Store, 'mosaics' | 'streamList'>;
  readonly streamManager: Pick<StreamManager, 'find' | 'state'>;
  readonly membership: Pick<Membership, 'isAvailable'>;
}

/**
 * Walls of several streams. A stream that a reader may not view appears to them as an empty cell, and is kept
 * in the mosaic.
 */
export class MosaicService {
  readonly #options: MosaicServiceOptions;

  constructor(options: MosaicServiceOptions) {
    this.#options = options;
  }

  async list(
    principal: Principal,
    query: { page: number; pageSize: number; searchingValues: readonly string[] },
  ): Promise<{ items: Mosaic[]; total: number }> {
    const { mosaics, streamList } = this.#options.store;
    const { page, pageSize, searchingValues: words } = query;
    const { items, total } = await mosaics.list(viewerOf(principal), { page, pageSize, words });
    const viewable = await streamList.viewableUids(viewerOf(principal));
    return { items: items.map((row) => mosaicView(principal, row, viewable)), total };
  }

  /**
   * A mosaic with the streams in it that the caller may view.
   * @param isWatched whether to start its on-demand streams
   * @throws Fault NotFound, Forbidden
   */
  async get(
    principal: Principal,
    id: number,
    isWatched: boolean,
    language: MessageLanguage,
  ): Promise<WatchedMosaic> {
    const view = await this.#viewById(principal, id, language);
    if (!isWatched) return view;
    for (const { stream } of view.layout.cells)
      if (stream !== null) this.#options.streamManager.find(stream)?.demand.extend();
    return view;
  }

  /** @throws Fault ValidationError, NotFound or Forbidden at the cell */
  async add(
    principal: Principal,
    body: MosaicToAdd,
    language: MessageLanguage,
    note: AuditNote,
  ): Promise<WatchedMosaic> {
    const { store, clock } = this.#options;
    await requireCells(store.streamList, principal, body.layout);
    const id = await store.mosaics.add({
      name: body.name,
      layout: body.layout,
      isShared: body.isShared,
      rotationSeconds: body.rotationSeconds,
      createdBy: principal.user.id,
      createdMs: clock.wallMs(),
    });
    note.target = String(id);
    note.targetName = body.name;
    return this.#viewById(principal, id, language);
  }

  /** @throws Fault NotFound, Forbidden, ValidationError at the cell or field */
  async save(
    principal: Principal,
    id: number,
    body: MosaicToSave,
    language: MessageLanguage,
    note: AuditNote,
  ): Promise<WatchedMosaic> {
    const { mosaics, streamList } = this.#options.store;
    const old = requireMosaicView(principal, await mosaics.byId(id));
    requireMosaicAdmin(principal, old);
    const viewable = await streamList.viewableUids(viewerOf(principal));
    requireUnchanged(body, mosaicView(principal, old, viewable), ['id', 'meta', 'createdBy']);
    if (body.layout) await requireCells(streamList, principal, body.layout);
    const changes: MosaicChanges = {};
    if (body.name !== undefined) changes.name = body.name;
    if (body.layout !== undefined) {
      changes.layout = withHidden(body.layout, old.layout, viewable);
    }
    if (body.isShared !== undefined) changes.isShared = body.isShared;
    if (body.rotationSeconds !== undefined) changes.rotationSeconds = body.rotationSeconds;
    if (Object.keys(changes).length > 0) await mosaics.save(old.id, changes);
    const saved = (await mosaics.byId(old.id)) ?? old;
    note.targetName = old.name;
    note.details = {
      changes: changesBetween(settingsOf(old), settingsOf(saved)),
      ...(await this.#streamsBetween(principal, old, saved)),
    };
    return this.#viewById(principal, old.id, language);
  }

  /** @throws Fault NotFound, Forbidden */
  async remove(principal: Principal, id: number, note: AuditNote): Promise<void> {
    const { mosaics } = this.#options.store;
    const mosaic = requireMosaicView(principal, await mosaics.byId(id));
    requireMosaicAdmin(principal, mosaic);
    note.targetName = mosaic.name;
    await mosaics.remove(mosaic.id);
  }

  /** The streams that a save added to a mosaic and removed from it, by their names, for the audit log. */
  async #streamsBetween(
    principal: Principal,
    before: MosaicRecord,
    after: MosaicRecord,
  ): Promise<{ readonly added?: string[]; readonly removed?: string[] }> {
    const [old, now] = [streamsIn(before.layout), streamsIn(after.layout)];
    const changed = [...now, ...old].filter((uid) => !old.has(uid) || !now.has(uid));
    const seen = await this.#options.store.streamList.findMany(viewerOf(principal), changed);
    const namesOf = (uids: ReadonlySet<string>) =>
      seen.filter(({ stream }) => uids.has(stream.uid)).map(({ stream }) => stream.name);
    const [added, removed] = [namesOf(now), namesOf(old)];
    return { ...(added.length > 0 && { added }), ...(removed.length > 0 && { removed }) };
  }

  async #viewById(principal: Principal, id: number, language: MessageLanguage): Promise<WatchedMosaic> {
    const { mosaics, streamList } = this.#options.store;
    const row = requireMosaicView(principal, await mosaics.byId(id));
    const seen = await streamList.findMany(viewerOf(principal), [...streamsIn(row.layout)]);
    const viewable = new Set(seen.map(({ stream }) => stream.uid));
    const streams = seen.map((one) => viewOf(this.#options, one, language));
    return { ...mosaicView(principal, row, viewable), streams };
  }
}

/**
 * A cell that was shown to the reader as empty, and is sent back unchanged, keeps the stream that they may
 * not see.
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

function streamsIn({ cells }: MosaicLayout): Set<string> {
  return new Set(cells.flatMap(({ stream }) => stream ?? []));
}

function settingsOf({ name, layout, isShared, rotationSeconds }: MosaicRecord): object {
  return { name, layout, isShared, rotationSeconds };
}

/**
 * Cells must be on the grid, must not overlap on their page, and must show streams that the author may view.
 * @throws Fault at the cell
 */
async function requireCells(
  streams: Pick<StreamListing, 'find'>,
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
    if (cell.stream !== null) await requireStream(streams, principal, cell.stream, 'view');
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
