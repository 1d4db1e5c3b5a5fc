import { silentLog } from '../../base/log.ts';
import { openCatalogForWriting, lockUnused, CatalogWrites } from '../catalog/catalog.ts';
import { VolumeMarkerCheck } from './volume-marker-check.ts';

/**
 * The same as `ArchiveVolume.useEmptyDisk`, for use when no server is running. @throws LockHeldError if one is;
 * Fault ActionNotAcceptable if the folder is not empty; as `openCatalogForWriting`
 */
export async function useEmptyDisk(root: string, catalog: string): Promise<void> {
  const lock = lockUnused(catalog);
  let volumeCheck: VolumeMarkerCheck | undefined;
  try {
    volumeCheck = VolumeMarkerCheck.open({ root, catalog, log: silentLog, wasUsed: true });
    await volumeCheck.useEmptyDisk((archiveId) => {
      const database = openCatalogForWriting(catalog);
      try {
        new CatalogWrites(database).commit([{ type: 'disk-replaced', archiveId }]);
      } finally {
        database.close();
      }
      return Promise.resolve();
    });
  } finally {
    volumeCheck?.release();
    lock.release();
  }
}
