import { closeToOthers } from '../../base/durable.ts';
import { openCatalogForWriting } from '../catalog/catalog.ts';
import type { ArchiveFiles } from '../segments/segments.ts';
import { CatalogRebuild, type CatalogRebuildTools } from './catalog-rebuild.ts';
import { Recovery, type RecoveryReport } from './recovery.ts';

/** What was done with the files of a mounted disk. */
export interface Recovered {
  readonly report: RecoveryReport;
  /** Undefined if the catalog contains all footage. */
  readonly rebuild: CatalogRebuild | undefined;
}

interface RecoverArchiveTools extends CatalogRebuildTools {
  readonly files: ArchiveFiles;
  /** Last heartbeat of the run that ended uncleanly, ms since the epoch. */
  readonly lastSignMs: number | undefined;
}

/**
 * Makes files and catalog consistent after an unclean shutdown, and starts rebuilding what the catalog has
 * lost, which continues in the background. @throws system and SQLite errors
 */
export async function recoverArchive(tools: RecoverArchiveTools): Promise<Recovered> {
  const { root, catalogPath, log } = tools;
  await closeToOthers(root);
  const database = openCatalogForWriting(catalogPath);
  try {
    const report = await Recovery.run({ ...tools, database });
    if (report.wasDirty) log.info({ ...report }, wordsOf(report));
    return { report, rebuild: await CatalogRebuild.start(tools) };
  } finally {
    database.close();
  }
}

/** A front that was replaced finds the archive in use, and nothing to repair. */
function wordsOf(report: RecoveryReport): string {
  const { closedSegments, adoptedFragments, adoptedFiles, cutBytes, finishedRemovals, findings } = report;
  const repairs = [
    closedSegments,
    adoptedFragments,
    adoptedFiles,
    cutBytes,
    finishedRemovals,
    findings.length,
  ];
  return repairs.some((count) => count > 0)
    ? 'The archive was repaired after an unclean shutdown'
    : 'The archive was in use until now, and needed no repair';
}
