import type { Settings } from '@vidette/contract/entities';
import type { Principal } from '../access/principal.ts';
import type { Config } from '../config/schema.ts';
import type { LicenseService } from './license.ts';
import type { Lock } from './lock.ts';

/** Set by the operator as `TZ`, else by the system; it does not change while the process runs. */
const serverZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The sources of the settings. */
export interface SettingsSources {
  readonly config: Config;
  readonly lock: Pick<Lock, 'isLocked' | 'isSetupAllowed'>;
  readonly license: Pick<LicenseService, 'view' | 'isExpired' | 'coversCluster'>;
  readonly version: string;
  /** The source revision from which the version was built. */
  readonly revision: string;
  readonly hasFfmpeg: boolean;
  /** How the operator runs a command of this program, without its name. */
  readonly command: string;
}

/**
 * The settings of the page; an anonymous client gets only those that the screens before sign-in need [R3.8].
 */
export function settingsView(sources: SettingsSources, principal: Principal | undefined): Settings {
  const { config, lock, license } = sources;
  const { productType, features } = license.view;
  const isKnown = principal !== undefined;
  const hasMail = config.smtp.host !== null;
  return {
    isEnterprise: productType === 'enterprise',
    isLocked: lock.isLocked,
    isSetupAllowed: lock.isSetupAllowed,
    prober: true,
    hasFfmpeg: sources.hasFfmpeg,
    revision: isKnown ? sources.revision : '',
    version: isKnown ? sources.version : '',
    command: lock.isLocked || principal?.isAdmin === true ? sources.command : '',
    appTitle: config.app.title,
    appLogo: config.app.logo,
    defaultLanguage: config.app.language,
    timeZone: isKnown ? serverZone : null,
    archiveDownloadMaxSeconds: config.archive.downloadMaxSeconds,
    playlistMaxSeconds: config.archive.playlistMaxSeconds,
    rangesMaxSeconds: config.archive.rangesMaxSeconds,
    isLicenseExpired: isKnown && license.isExpired,
    archiveMaxDepthHours: config.archive.maxDepthHours,
    farArchive: isKnown && config.s3.bucket !== null,
    smtpServerEnabled: hasMail,
    smtpServerHost: principal?.isAdmin ? config.smtp.host : null,
    smtpServerPort: principal?.isAdmin && hasMail ? config.smtp.port : null,
    smtpServerProtected: principal?.isAdmin && hasMail ? config.smtp.tls !== 'never' : null,
    documentation: config.app.documentation,
    site: config.app.site,
    securityContact: config.app.securityContact,
    features: isKnown ? features : [],
    passwordResetAllowed: hasMail && config.passwordReset.enabled,
    tunnelLocations: principal?.isAdmin ? config.tunnel.locations.map(({ code }) => code) : [],
    productType,
    clusterEnabled: isKnown && license.coversCluster,
    nodeID: isKnown ? config.node.id : null,
    kioskPrefillUser: isKnown ? null : config.kiosk.user,
    kioskPrefillPassword: isKnown ? null : config.kiosk.password,
  };
}
