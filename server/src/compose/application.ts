import { PasswordRecovery } from '../accounts/password-recovery.ts';
import { NodeInvitations } from '../cluster/node-invitations.ts';
import { NodeService } from '../cluster/node-service.ts';
import { Invitations } from '../rpc/invitation.ts';
import { FirstAdministrator } from '../accounts/first-administrator.ts';
import { OwnProfile } from '../accounts/own-profile.ts';
import { SessionService } from '../accounts/session-service.ts';
import { SignIn } from '../accounts/sign-in.ts';
import { TokenService } from '../accounts/token-service.ts';
import { UserService } from '../accounts/user-service.ts';
import type { RemoteViewers } from '../engine/remote-viewers.ts';
import { LiveViewing } from '../streams/live-viewing.ts';
import { PublicLinks } from '../streams/public-links.ts';
import { SharedViewing } from '../streams/shared-viewing.ts';
import { SourceInspection } from '../streams/source-inspection.ts';
import { StreamEditing } from '../streams/stream-editing.ts';
import { StreamLists } from '../streams/stream-lists.ts';
import { StreamRightsService } from '../streams/stream-rights.ts';
import { WallViewing } from '../streams/wall-viewing.ts';
import { settingsView } from '../system/settings-view.ts';
import type { ServerCertificate } from '../http/server-certificate.ts';
import { BookmarkService } from '../recordings/bookmark-service.ts';
import { RuleService } from '../events/rule-service.ts';
import { TargetService } from '../events/target-service.ts';
import { JournalService } from '../events/journal-service.ts';
import { ExportService } from '../recordings/export-service.ts';
import { RecordedFootage } from '../recordings/recorded-footage.ts';
import { MosaicService } from '../mosaics/mosaic-service.ts';
import { HealthReport } from '../statistics/health-report.ts';
import { RecordingGaps } from '../statistics/recording-gaps.ts';
import { AuditPages } from '../system/audit-pages.ts';
import { ConfigurationService } from '../system/configuration-service.ts';
import { Search } from '../system/search.ts';
import type { Principal } from '../access/principal.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import { TunnelService } from '../tunnel/tunnel-service.ts';
import type { Access } from './access.ts';
import { serverTimeZone } from './notifications.ts';
import type { ClusterArea } from './cluster.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { Foundation } from './foundation.ts';
import type { Media } from './media.ts';
import type { AppServices } from './services.ts';
import type { Storage } from './storage.ts';

/** Everything that the areas created, and what only the server itself has. */
export type ApplicationParts = Foundation &
  Omit<Storage & Ffmpeg & ClusterArea & Media & Access & AppServices, 'close'> & {
    readonly tunnel: Tunnel;
    /** Undefined where streams run in this process. */
    readonly viewers: RemoteViewers | undefined;
    /** Undefined without TLS. */
    readonly certificate: ServerCertificate | undefined;
  };

/** What the API calls do. */
export type Application = ReturnType<typeof composeApplication>;

/** The services between the API calls and the modules below. None of them has anything to close. */
export function composeApplication(parts: ApplicationParts) {
  const { store, health, archive, tunnel, certificate, broker, config, clock } = parts;
  const recordingGaps = new RecordingGaps(parts);
  const journalService = new JournalService(parts);
  return {
    settingsFor: (principal: Principal | undefined) => settingsView(parts, principal),
    healthReport: new HealthReport({
      store,
      health,
      recordingGaps,
      archive,
      tunnel,
      broker,
      certificate,
      config,
      clock,
    }),
    configurationService: new ConfigurationService(parts),
    tunnelService: new TunnelService(parts),
    auditPages: new AuditPages(parts.audit),
    search: new Search(parts),
    footage: new RecordedFootage(parts),
    bookmarks: new BookmarkService(parts),
    journalService,
    targetService: new TargetService(parts),
    ruleService: new RuleService({ store, clock, timeZone: serverTimeZone() }),
    exportService: new ExportService(parts, journalService),
    mosaics: new MosaicService(parts),
    nodeService: new NodeService(parts),
    nodeInvitations: nodeInvitationsOf(parts),
    ...streamServices(parts),
    ...accountServices(parts),
  };
}

function streamServices(parts: ApplicationParts) {
  return {
    streamLists: new StreamLists(parts),
    streamEditing: new StreamEditing(parts),
    streamRights: new StreamRightsService(parts),
    sourceInspection: new SourceInspection(parts),
    liveViewing: new LiveViewing(parts),
    wallViewing: new WallViewing(parts),
    publicLinks: new PublicLinks(parts),
    sharedViewing: new SharedViewing(parts),
  };
}

function accountServices(parts: ApplicationParts) {
  const { store, proof, passwords, identities, authenticator, emails, clock } = parts;
  const failures = store.failedAttempts;
  return {
    signIn: new SignIn(parts),
    firstAdministrator: new FirstAdministrator(parts),
    ownProfile: new OwnProfile({ proof, passwords, identities, authenticator, emails, failures, clock }),
    sessions: new SessionService(parts),
    tokens: new TokenService(parts),
    userService: new UserService(parts),
    passwordRecovery: new PasswordRecovery(parts),
  };
}

function nodeInvitationsOf({ config, store, membership, clock }: ApplicationParts): NodeInvitations {
  const { settings, secret } = store;
  const invitations = new Invitations({ settings, secret, clock });
  return new NodeInvitations({ config, store, membership, invitations });
}
