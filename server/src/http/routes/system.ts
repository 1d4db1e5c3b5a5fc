import { archiveWarnings, objectStorageWarnings } from '../../statistics/archive-warnings.ts';
import type { CallContext } from '../call-context.ts';
import { prolongSessionCookie } from '../credentials.ts';
import type { Registrar } from '../registrar.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { LicenseService } from '../../system/license.ts';
import type { HealthMonitor } from '../../system/health.ts';
import { warning } from '../../system/health-warning.ts';
import type { LogRing } from '../../system/log-ring.ts';
import type { AuditLog } from '../../system/audit-log.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import type { StreamManager } from '../../engine/stream-manager.ts';
import type { Archive } from '../../archive/archive.ts';
import type { ArchiveReader } from '../../archive/read/read.ts';
import type { Tunnel } from '../../tunnel/tunnel.ts';
import type { VersionCheck } from '../../system/version-check.ts';
import type { ServerCertificate } from '../server-certificate.ts';
import { settingsView, type SettingsSources } from '../../system/settings-view.ts';
import type { ManagedStream } from '../../engine/managed-stream.ts';
import { viewerOf } from '../../access/stream-policy.ts';

/** What the calls on the server itself need. */
export interface SystemServices extends SettingsSources {
  readonly clock: Clock;
  readonly store: Pick<Store, 'streamList' | 'mosaics' | 'bookmarks' | 'users'>;
  readonly license: LicenseService;
  readonly health: Pick<HealthMonitor, 'warnings'>;
  readonly logRing: Pick<LogRing, 'list'>;
  readonly audit: Pick<AuditLog, 'list'>;
  readonly statistics: Pick<Statistics, 'now' | 'histories'>;
  readonly streamManager: Pick<StreamManager, 'streams'>;
  /** Of this node. */
  readonly archive: Pick<Archive, 'volume' | 'health' | 'continuity'>;
  /** Of all nodes. */
  readonly archiveReader: Pick<ArchiveReader, 'stats'>;
  readonly tunnel: Pick<Tunnel, 'downLocation' | 'reconsider'>;
  readonly versionCheck: Pick<VersionCheck, 'facts'>;
  /** Undefined without TLS. */
  readonly certificate: Pick<ServerCertificate, 'problem' | 'expiresAt'> | undefined;
}

/** Most streams without recording that the health answer names; more don't add information. */
const namedStreams = 20;

/** The server itself: settings, health, logs, figures, license, audit log, search, documentation. */
export function registerSystem(registrar: Registrar, services: SystemServices): void {
  const { streamManager, store, health, license, logRing, audit, config, statistics, certificate } = services;

  // An open page requests the settings on every navigation and the health every minute, even one shown on a
  // wall: the cookie then gets its full lifetime again, as the session does with every call.
  const prolong = ({
    principal,
    request,
    reply,
  }: Pick<CallContext<'getSettings'>, 'principal' | 'request' | 'reply'>) => {
    if (principal?.by.kind === 'session') {
      prolongSessionCookie(request, reply, config.session.days * 86_400_000);
    }
  };

  registrar.handle('getSettings', (context) => {
    prolong(context);
    return settingsView(services, context.principal);
  });

  registrar.handle('useArchiveDisk', async () => {
    await services.archive.volume.useEmptyDisk();
    return {};
  });

  registrar.handle('getHealth', async ({ principal, request, reply }) => {
    prolong({ principal, request, reply });
    const viewable = await store.streamList.viewableUids(viewerOf(principal));
    const idle: string[] = [];
    for (const running of streamManager.streams()) {
      if (idle.length >= namedStreams) break;
      const { uid } = running.settings;
      if (isNotRecording(running) && (viewable === undefined || viewable.has(uid))) idle.push(uid);
    }
    const low = services.archive.continuity
      .below(config.archive.warnRecordedPercent / 100)
      .filter(({ uid }) => viewable === undefined || viewable.has(uid))
      .slice(0, namedStreams);
    const { shares } = services.archive.health.retention;
    const warnings = await health.warnings(idle, await lowEverywhere(services, low), shares);
    warnings.push(...archiveWarnings(services.archive.health, services.clock));
    const { downLocation } = services.tunnel;
    if (principal.isAdmin && downLocation !== undefined)
      warnings.push(warning('tunnel-down', { subject: downLocation }));
    if (principal.isAdmin) warnings.push(...objectStorageWarnings(services.archive.health.objectStorage));
    if (principal.isAdmin && config.trustProxy === true) warnings.push(warning('trust-proxy'));
    if (principal.isAdmin && certificate?.problem !== undefined) {
      const { expiresAt, problem: subject } = certificate;
      warnings.push(warning('tls-certificate', { expiresAt, subject }));
    }
    return { version: services.version, warnings };
  });

  registrar.handle('getSystemLogs', ({ query }) => ({ items: logRing.list(query) }));
  registrar.handle('getSystemStats', () => statistics.now());
  registrar.handle('getAdminStats', async () => ({
    now: await statistics.now(),
    histories: statistics.histories,
  }));

  registrar.handle('checkVersion', () => services.versionCheck.facts);

  registrar.handle('getLicense', () => license.view);
  registrar.handle('saveLicense', async ({ body }) => {
    const replaced = await license.replace(body.text);
    services.tunnel.reconsider();
    return replaced;
  });

  registrar.handle('listAuditLogs', async ({ query }) => {
    const rows = await audit.list({
      before: query.before,
      limit: query.pageSize + 1,
      login: query.user,
      action: query.action,
      target: query.target,
      fromMs: query.from,
      toMs: query.to,
    });
    const items = rows.slice(0, query.pageSize).map((row) => ({
      id: row.id,
      time: row.timeMs,
      user: row.login,
      ip: row.ip,
      action: row.action,
      target: row.target,
      outcome: row.outcome,
      details: row.details,
    }));
    return { items, hasMore: rows.length > query.pageSize };
  });

  registrar.handle('search', async ({ principal, query }) => {
    const viewer = viewerOf(principal);
    const words = query.query.split(/\s+/).slice(0, 10);
    const page = { page: 1, pageSize: query.limit, words };
    const streams = await store.streamList.page(viewer, {
      ...page,
      sort: 'name',
      descending: false,
      byTag: false,
      onlyAvailable: false,
    });
    const mosaics = await store.mosaics.list(viewer, page);
    const bookmarks = await store.bookmarks.list(viewer, page);
    const users = principal.isAdmin
      ? await store.users.list({ ...page, sort: 'login', descending: false })
      : { items: [] };
    const found = [
      ...streams.items.map(({ stream }) => ({
        kind: 'stream' as const,
        id: stream.uid,
        name: stream.name,
        note: [stream.location.name, ...stream.tags].filter((text) => text !== '').join(', '),
      })),
      ...mosaics.items.map(({ id, name }) => ({ kind: 'mosaic' as const, id: String(id), name, note: '' })),
      ...users.items.map((user) => ({
        kind: 'user' as const,
        id: user.login,
        name: user.login,
        note: user.fullName,
      })),
      ...bookmarks.items.map((bookmark) => ({
        kind: 'bookmark' as const,
        id: String(bookmark.id),
        name: bookmark.note,
        note: bookmark.streamName,
      })),
    ];
    return { items: found.slice(0, query.limit) };
  });

  registrar.handle('getOpenApi', async () => {
    const { openApiDocument } = await import('../openapi.ts');
    return openApiDocument(services.version);
  });
}

/** Footage missing here may be recorded on another node. */
async function lowEverywhere(
  { archiveReader, config }: SystemServices,
  low: readonly { readonly uid: string; readonly share: number }[],
): Promise<{ uid: string; share: number }[]> {
  const looked = await Promise.all(
    low.map(async ({ uid, share }) => {
      const { recorded } = await archiveReader.stats(uid);
      return { uid, share: recorded?.day.share ?? share };
    }),
  );
  return looked.filter(({ share }) => share < config.archive.warnRecordedPercent / 100);
}

/** Whether a stream that should be recorded is not: its source is away, or its frames can't be written. */
function isNotRecording({ settings, state, recorder }: ManagedStream): boolean {
  if (!settings.isRecorded || settings.isPaused) return false;
  return state.status === 'failed' || recorder?.status.state === 'failed';
}
