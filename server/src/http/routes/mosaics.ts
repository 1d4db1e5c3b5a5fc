import type { MosaicService } from '../../mosaics/mosaic-service.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the mosaic calls. */
export interface MosaicServices {
  readonly mosaics: MosaicService;
}

/** Walls of several streams. */
export function registerMosaics(registrar: Registrar, { mosaics }: MosaicServices): void {
  registrar.handle('listMosaics', async ({ principal, query }) => {
    const { page, pageSize } = query;
    return { ...(await mosaics.list(principal, query)), page, pageSize };
  });

  registrar.handle('getMosaic', ({ principal, params, query, language }) =>
    mosaics.get(principal, params.id, query.extend_lease, language),
  );

  registrar.handle('addMosaic', ({ principal, body, language, audit }) =>
    mosaics.add(principal, body, language, audit),
  );

  registrar.handle('saveMosaic', ({ principal, params, body, language, audit }) =>
    mosaics.save(principal, params.id, body, language, audit),
  );

  registrar.handle('deleteMosaic', async ({ principal, params, audit }) => {
    await mosaics.remove(principal, params.id, audit);
    return {};
  });
}
