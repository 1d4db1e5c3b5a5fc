import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { Identities } from '../access/identities.ts';
import type { KnownDevices } from '../access/known-devices.ts';
import type { PasswordProof } from '../access/password-proof.ts';
import type { SignInLimits } from '../access/sign-in-limits.ts';
import type { PasswordHasher } from '../access/password-hash.ts';
import type { Archive } from '../archive/archive.ts';
import type { ArchiveReader } from '../archive/read/read.ts';
import type { Membership } from '../cluster/membership.ts';
import type { Transcoding } from '../transcoding/transcoding.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { Config } from '../config/schema.ts';
import type { Exports } from '../export/exports.ts';
import type { Live } from '../live/live.ts';
import type { ConfinementLevel } from '../ffmpeg/confinement.ts';
import type { NodeAuthenticator } from '../rpc/node-authenticator.ts';
import type { LocalInsight, StreamInsight } from '../streams/stream-insight.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Store } from '../store/store.ts';
import type { AccountEmails } from '../system/account-emails.ts';
import type { AuditLog } from '../system/audit-log.ts';
import type { HealthMonitor } from '../system/health.ts';
import type { LicenseService } from '../system/license.ts';
import type { Lock } from '../system/lock.ts';
import type { LogRing } from '../system/log-ring.ts';
import type { PasswordReset } from '../system/password-reset.ts';
import type { SourceProbe } from '../streams/source-probe.ts';
import type { StatusWriter } from '../system/status-writer.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import type { WatchLog } from '../system/watch-log.ts';
import type { VersionCheck } from '../system/version-check.ts';
import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';

/** Dependencies of all handlers, created and closed by `app.ts`. */
export interface Services {
  /** In force; its live keys change while the server runs. */
  readonly config: Config;
  readonly configStore: ConfigStore;
  readonly version: string;
  /** The source revision that the version was built from, for the settings call. */
  readonly revision: string;
  /** Folder of the built page. */
  readonly pageDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly logRing: LogRing;
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly passwords: PasswordHasher;
  readonly proof: PasswordProof;
  readonly identities: Identities;
  readonly knownDevices: KnownDevices;
  readonly signInLimits: SignInLimits;
  readonly emails: AccountEmails;
  readonly passwordReset: PasswordReset;
  readonly lock: Lock;
  readonly license: LicenseService;
  readonly health: HealthMonitor;
  readonly statistics: Statistics;
  /** What is in force for media processes. */
  readonly confinement: ConfinementLevel;
  readonly versionCheck: VersionCheck;
  readonly audit: AuditLog;
  readonly watchLog: WatchLog;
  readonly membership: Membership;
  readonly streamManager: StreamManager;
  readonly statuses: StatusWriter;
  /** Of this node. */
  readonly archive: Archive;
  /** Of all nodes. */
  readonly archiveReader: ArchiveReader;
  readonly exports: Exports;
  readonly tunnel: Tunnel;
  readonly live: Live;
  readonly insight: StreamInsight;
  /** Of streams that this node runs. */
  readonly localInsight: LocalInsight;
  /** Admits other nodes. */
  readonly nodeAuthenticator: NodeAuthenticator;
  readonly transcoding: Transcoding;
  readonly sourceProbe: SourceProbe;
  /** One coded key frame as a JPEG, for the archive's stills. */
  readonly renderSnapshot: (track: VideoTrack, keySample: Sample, maxWidth: number) => Promise<Uint8Array>;
}
