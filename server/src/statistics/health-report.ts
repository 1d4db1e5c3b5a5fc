import type { HealthWarning } from '@vidette/contract/health';
import type { Principal } from '../access/principal.ts';
import { viewerOf } from '../access/stream-policy.ts';
import type { Archive } from '../archive/archive.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../config/schema.ts';
import type { Store } from '../store/store.ts';
import { warning } from '../system/health-warning.ts';
import type { HealthMonitor } from '../system/health.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import { archiveWarnings, objectStorageWarnings } from './archive-warnings.ts';
import type { RecordingGaps } from './recording-gaps.ts';

/** The server's TLS certificate, as far as it may need attention. */
interface CertificateState {
  /** The problem with it; undefined if there is none. */
  readonly problem: string | undefined;
  /** Ms since the epoch. */
  readonly expiresAt: number;
}

/** A target that has accepted nothing for this long is a problem. */
const targetFailingMs = 3_600_000;

export interface HealthReportOptions {
  readonly store: Pick<Store, 'streamList' | 'notificationTargets'>;
  readonly health: Pick<HealthMonitor, 'warnings'>;
  readonly recordingGaps: Pick<RecordingGaps, 'notRecording' | 'recordedLow'>;
  /** Of this node. */
  readonly archive: Pick<Archive, 'health'>;
  readonly tunnel: Pick<Tunnel, 'downLocation' | 'downSinceMs'>;
  /** What is wrong with the connection to the MQTT broker, if it has been wrong for a while. */
  readonly broker: {
    readonly trouble: { readonly problem: string; readonly sinceMs: number } | undefined;
  };
  /** Undefined without TLS. */
  readonly certificate: CertificateState | undefined;
  readonly config: Pick<Config, 'trustProxy'>;
  readonly clock: Clock;
}

/** All warnings of the server, as one user may see them. */
export class HealthReport {
  readonly #options: HealthReportOptions;

  constructor(options: HealthReportOptions) {
    this.#options = options;
  }

  /**
   * Streams are named only to users who may view them. Warnings about the server's address and the object
   * storage are only for administrators.
   */
  async warningsFor(principal: Principal): Promise<HealthWarning[]> {
    const { store, health, recordingGaps, archive, clock } = this.#options;
    const viewable = await store.streamList.viewableUids(viewerOf(principal));
    const idle = recordingGaps.notRecording(viewable);
    const { shares } = archive.health.retention;
    const warnings = await health.warnings(idle, await recordingGaps.recordedLow(viewable), shares);
    warnings.push(...archiveWarnings(archive.health, clock));
    if (principal.isAdmin) warnings.push(...this.#forAdministrators());
    warnings.push(...(await this.#failingTargets(principal)));
    return warnings;
  }

  /** Users see their own targets, administrators all. */
  async #failingTargets({ user, isAdmin }: Principal): Promise<HealthWarning[]> {
    const { store, clock } = this.#options;
    const sinceMs = clock.wallMs() - targetFailingMs;
    const targets = await store.notificationTargets.failingSince(sinceMs, isAdmin ? undefined : user.id);
    return targets.map(({ name: subject, failingMs }) =>
      warning('target-failing', { subject, ...(failingMs !== null && { since: failingMs }) }),
    );
  }

  #forAdministrators(): HealthWarning[] {
    const { tunnel, archive, config, certificate, broker } = this.#options;
    const warnings: HealthWarning[] = [];
    const { downLocation, downSinceMs: since } = tunnel;
    if (downLocation !== undefined)
      warnings.push(warning('tunnel-down', { subject: downLocation, ...(since !== undefined && { since }) }));
    warnings.push(...objectStorageWarnings(archive.health.objectStorage));
    if (broker.trouble) {
      const { problem, sinceMs } = broker.trouble;
      warnings.push(warning('mqtt-down', { subject: problem, since: sinceMs }));
    }
    if (config.trustProxy === true) warnings.push(warning('trust-proxy'));
    if (certificate?.problem !== undefined) {
      const { problem: subject, expiresAt } = certificate;
      warnings.push(warning('tls-certificate', { subject, expiresAt }));
    }
    return warnings;
  }
}
