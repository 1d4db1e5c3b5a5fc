import type { Settings } from '@vidette/contract/entities';
import type { Principal } from '../../access/principal.ts';
import type { Archive } from '../../archive/archive.ts';
import type { Config } from '../../config/schema.ts';
import type { HealthReport } from '../../statistics/health-report.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import type { AuditPages } from '../../system/audit-pages.ts';
import type { LicenseService } from '../../system/license.ts';
import type { LogRing } from '../../system/log-ring.ts';
import type { Search } from '../../system/search.ts';
import type { VersionCheck } from '../../system/version-check.ts';
import type { CallContext } from '../call-context.ts';
import { prolongSessionCookie } from '../credentials.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the system calls. */
export interface SystemServices {
  readonly config: Pick<Config, 'session'>;
  readonly version: string;
  /** The settings of the page; fewer for callers who are not signed in. */
  readonly settingsFor: (principal: Principal | undefined) => Settings;
  readonly healthReport: Pick<HealthReport, 'warningsFor'>;
  readonly license: Pick<LicenseService, 'view' | 'replace'>;
  readonly logRing: Pick<LogRing, 'list'>;
  readonly auditPages: Pick<AuditPages, 'page'>;
  readonly statistics: Pick<Statistics, 'now' | 'histories'>;
  /** Of this node. */
  readonly archive: Pick<Archive, 'volume'>;
  readonly versionCheck: Pick<VersionCheck, 'facts'>;
  readonly search: Pick<Search, 'find'>;
}

/** The server itself: settings, health, logs, figures, license, audit log, search, documentation. */
export function registerSystem(registrar: Registrar, services: SystemServices): void {
  registerForEveryPage(registrar, services);
  registerRecords(registrar, services);
  registerLicense(registrar, services);
}

/**
 * An open page requests the settings on every navigation and the health every minute, even on a wall display:
 * each request restores the cookie's full lifetime, as every call does for the session.
 */
function registerForEveryPage(
  registrar: Registrar,
  {
    config,
    version,
    settingsFor,
    healthReport,
    search,
  }: Pick<SystemServices, 'config' | 'version' | 'settingsFor' | 'healthReport' | 'search'>,
): void {
  const prolong = ({ principal, request, reply }: Caller) =>
    prolongSessionCookie(request, reply, principal, config.session.days * 86_400_000);

  registrar.handle('getSettings', (context) => {
    prolong(context);
    return settingsFor(context.principal);
  });

  registrar.handle('getHealth', async (context) => {
    prolong(context);
    return { version, warnings: await healthReport.warningsFor(context.principal) };
  });

  registrar.handle('search', async ({ principal, query }) => ({
    items: await search.find(principal, query.query, query.limit),
  }));

  registrar.handle('getOpenApi', async () => {
    const { openApiDocument } = await import('../openapi.ts');
    return openApiDocument(version);
  });
}

type Caller = Pick<CallContext<'getSettings'>, 'principal' | 'request' | 'reply'>;

/** The server's own records, for administrators. */
function registerRecords(
  registrar: Registrar,
  { logRing, statistics, auditPages }: Pick<SystemServices, 'logRing' | 'statistics' | 'auditPages'>,
): void {
  registrar.handle('getSystemLogs', ({ query }) => ({ items: logRing.list(query) }));
  registrar.handle('getSystemStats', () => statistics.now());
  registrar.handle('getAdminStats', async () => ({
    now: await statistics.now(),
    histories: statistics.histories,
  }));

  registrar.handle('listAuditLogs', ({ query }) =>
    auditPages.page({
      before: query.before,
      limit: query.pageSize,
      login: query.user,
      action: query.action,
      target: query.target,
      onlyPeople: query.onlyPeople,
      fromMs: query.from,
      toMs: query.to,
    }),
  );
}

/** The license, the version, and the recording disk. */
function registerLicense(
  registrar: Registrar,
  { license, versionCheck, archive }: Pick<SystemServices, 'license' | 'versionCheck' | 'archive'>,
): void {
  registrar.handle('getLicense', () => license.view);
  registrar.handle('saveLicense', ({ body }) => license.replace(body.text));
  registrar.handle('checkVersion', () => versionCheck.facts);

  registrar.handle('useArchiveDisk', async () => {
    await archive.volume.useEmptyDisk();
    return {};
  });
}
