import type { Registrar } from '../http/registrar.ts';
import { registerAccount, type AccountServices } from '../http/routes/account.ts';
import { registerArchive, type ArchiveServices } from '../http/routes/archive.ts';
import { registerBookmarks, type BookmarkServices } from '../http/routes/bookmarks.ts';
import { registerCluster, type ClusterServices } from '../http/routes/cluster.ts';
import { registerConfiguration, type ConfigurationServices } from '../http/routes/configuration.ts';
import { registerEvents, type EventServices } from '../http/routes/events.ts';
import { registerExports, type ExportServices } from '../http/routes/exports.ts';
import { registerJournal, type JournalServices } from '../http/routes/journal.ts';
import { registerLive, type LiveServices } from '../http/routes/live.ts';
import { registerMosaics, type MosaicServices } from '../http/routes/mosaics.ts';
import { registerNotifications, type NotificationServices } from '../http/routes/notifications.ts';
import { registerPassword, type PasswordServices } from '../http/routes/password.ts';
import { registerProbe, type ProbeServices } from '../http/routes/probe.ts';
import { registerShare, type ShareServices } from '../http/routes/share.ts';
import { registerStreams, type StreamServices } from '../http/routes/streams.ts';
import { registerStreamRights, type StreamRightsServices } from '../http/routes/stream-rights.ts';
import { registerSystem, type SystemServices } from '../http/routes/system.ts';
import { registerTunnel, type TunnelServices } from '../http/routes/tunnel.ts';
import { registerUsers, type UserServices } from '../http/routes/users.ts';
import { registerWall, type WallServices } from '../http/routes/wall.ts';

/** Everything that any call needs; each route file declares its own part. */
export type RouteServices = AccountServices &
  ArchiveServices &
  BookmarkServices &
  ClusterServices &
  ConfigurationServices &
  EventServices &
  ExportServices &
  JournalServices &
  LiveServices &
  MosaicServices &
  NotificationServices &
  PasswordServices &
  ProbeServices &
  ShareServices &
  StreamServices &
  StreamRightsServices &
  SystemServices &
  TunnelServices &
  UserServices &
  WallServices;

/** Every call of the contract. */
export function registerRoutes(registrar: Registrar, services: RouteServices): void {
  registerAccount(registrar, services);
  registerArchive(registrar, services);
  registerBookmarks(registrar, services);
  registerCluster(registrar, services);
  registerConfiguration(registrar, services);
  registerEvents(registrar, services);
  registerExports(registrar, services);
  registerJournal(registrar, services);
  registerLive(registrar, services);
  registerMosaics(registrar, services);
  registerNotifications(registrar, services);
  registerPassword(registrar, services);
  registerProbe(registrar, services);
  registerShare(registrar, services);
  registerStreams(registrar, services);
  registerStreamRights(registrar, services);
  registerSystem(registrar, services);
  registerTunnel(registrar, services);
  registerUsers(registrar, services);
  registerWall(registrar, services);
}
