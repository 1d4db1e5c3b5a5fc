import { openArchive } from '../archive/archive.ts';
import type { RetentionRules } from '../archive/retention/retention.ts';
import { DiskReserve } from '../base/disk-reserve.ts';
import type { Config } from '../config/schema.ts';
import { shownSource } from '../dial/address.ts';
import { objectStorageOptionsOf } from '../s3/s3-options.ts';
import { databasePlace } from '../store/open-database.ts';
import { Store } from '../store/store.ts';
import { AuditLog } from '../system/audit-log.ts';
import { LicenseService } from '../system/license.ts';
import { WatchLog } from '../system/watch-log.ts';
import type { Engines } from './engines.ts';
import type { Foundation } from './foundation.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';

/** Everything stored on disks and in the database. */
export type Storage = Opened<Awaited<ReturnType<typeof openStorage>>>;

/**
 * The database first, because the others use it; the archive closes before the audit log, which takes its time
 * from it.
 */
export function composeStorage(foundation: Foundation, engines: Engines): Promise<Storage> {
  return opened((closers) => openStorage(foundation, engines, closers));
}

async function openStorage(
  { config, configStore, clock, log, archiveDir, catalog }: Foundation,
  { recordedElsewhere }: Engines,
  closers: Closer[],
) {
  const store = await Store.open({ ...databasePlace(config), redact: shownSource, log });
  closers.push(() => store.close());
  await store.renewSearch();
  const reserve = await DiskReserve.keep(config.dataDir, clock, log);
  closers.push(() => reserve.close());
  const license = await LicenseService.open({
    settings: store.settings,
    clock,
    vendorKey: config.license.vendorKey,
  });
  const limits = {
    rangesMaxMs: config.archive.rangesMaxSeconds * 1000,
    playlistMaxMs: config.archive.playlistMaxSeconds * 1000,
    downloadMaxMs: config.archive.downloadMaxSeconds * 1000,
  };
  const archive = await openArchive({
    dir: archiveDir,
    catalog,
    clock,
    log,
    limits,
    retention: retentionRules(config),
    recordedElsewhere,
    ...objectStorageOptionsOf(config, clock),
  });
  const audit = new AuditLog({
    audit: store.audit,
    clock,
    log,
    isEnabled: config.audit.enabled,
    keepDays: config.audit.days,
    // The archive keeps a lower bound of the current time.
    nowMs: () => archive.retention.cautiousNowMs,
  });
  closers.push(() => audit.close());
  const watchLog = new WatchLog(audit, clock);
  closers.push(() => watchLog.close());
  closers.push(() => archive.close());
  configStore.onApplied(() => archive.retention.configure(retentionRules(config)));
  return { store, reserve, license, limits, archive, audit, watchLog };
}

/**
 * The absolute quota in bytes as configured, the one in percent as the space that must stay free on the
 * archive's disk.
 */
function retentionRules(config: Config): RetentionRules {
  const { quotaBytes, quotaPercent, holdPercent } = config.archive;
  return {
    quotaBytes,
    remoteQuotaBytes: config.s3.quotaBytes,
    minFreeShare: 1 - quotaPercent / 100,
    holdShare: holdPercent / 100,
  };
}
