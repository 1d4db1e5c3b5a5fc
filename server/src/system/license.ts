import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { License } from '@vidette/contract/entities';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { StoredSettings } from '../store/settings.ts';
import { featuresOf, readLicense, writeLicense, type LicenseClaims } from './license-text.ts';

const textKey = 'license.text';
const ownKeyKey = 'license.ownKey';

export interface LicenseServiceOptions {
  readonly settings: StoredSettings;
  readonly clock: Clock;
  /**
   * PEM of the key whose licenses are valid; null: the server's own, with which it issues itself a community
   * license.
   */
  readonly vendorKey: string | null;
}

/** The license in force. Expiry is checked at every use: it takes effect without a restart. */
export class LicenseService {
  readonly #settings: StoredSettings;
  readonly #clock: Clock;
  readonly #publicKey: string;
  #text: string;
  #claims: LicenseClaims | undefined;
  readonly #listeners: (() => void)[] = [];

  private constructor(options: LicenseServiceOptions, publicKey: string, text: string) {
    this.#settings = options.settings;
    this.#clock = options.clock;
    this.#publicKey = publicKey;
    this.#text = text;
    this.#claims = text === '' ? undefined : claimsOf(text, publicKey);
  }

  /** Reads the stored license; without a vendor key a server that has none issues one to itself [R6.10]. */
  static async open(options: LicenseServiceOptions): Promise<LicenseService> {
    const stored = await options.settings.get(textKey);
    const text = typeof stored === 'string' ? stored : '';
    if (options.vendorKey !== null) return new LicenseService(options, options.vendorKey, text);
    const privateKey = await ownKey(options.settings);
    const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
    const service = new LicenseService(options, publicKey, text);
    if (!service.#claims)
      await service.#keep(writeLicense(communityClaims(options.clock.wallMs()), privateKey));
    return service;
  }

  /** True without a license, with an invalidly signed one, or with an expired one. */
  get isExpired(): boolean {
    if (!this.#claims) return true;
    return this.#claims.expiresAt !== null && this.#claims.expiresAt <= this.#clock.wallMs();
  }

  get view(): License {
    const claims = this.#claims;
    return {
      text: this.#text,
      isExpired: this.isExpired,
      expiresAt: claims?.expiresAt ?? null,
      owner: claims?.owner ?? '',
      productType: claims?.productType ?? 'none',
      maxStreams: claims?.maxStreams ?? 0,
      features: claims?.features ?? [],
    };
  }

  /** Reads the stored license again: another node may have replaced it. */
  async reload(): Promise<void> {
    const stored = await this.#settings.get(textKey);
    if (typeof stored !== 'string' || stored === this.#text) return;
    this.#text = stored;
    this.#claims = claimsOf(stored, this.#publicKey);
  }

  /** @throws Fault IncorrectLicense, or LicenseExpired for an expired one. */
  async replace(text: string): Promise<License> {
    const claims = readLicense(text, this.#publicKey);
    if (claims.expiresAt !== null && claims.expiresAt <= this.#clock.wallMs()) {
      throw new Fault('LicenseExpired', 'The license has expired.', {
        details: { fields: [{ path: 'text', code: 'LicenseExpired' }] },
      });
    }
    await this.#keep(text.trim());
    for (const listener of this.#listeners) listener();
    return this.view;
  }

  /** Calls back whenever a license is saved on this node. */
  onReplaced(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** @throws Fault LicenseExpired: no streams are added and no archive is watched without a license [R6.9]. */
  requireValid(): void {
    if (this.isExpired) throw new Fault('LicenseExpired', 'The license is missing or expired.');
  }

  /** Whether a separately licensed feature may run now [R6.7, R6.8]. */
  allows(feature: string): boolean {
    return !this.isExpired && (this.#claims?.features.includes(feature) ?? false);
  }

  /**
   * @throws Fault LicenseExpired, or FeatureNotFound when the license is valid but does not cover the feature.
   */
  requireFeature(feature: string): void {
    this.requireValid();
    if (!this.allows(feature)) throw new Fault('FeatureNotFound', `The license does not cover ${feature}.`);
  }

  /** @throws Fault LicenseExpired, or QuotaReached when the license covers no further streams. */
  requireStreamAllowance(streams: number): void {
    this.requireValid();
    const most = this.#claims?.maxStreams ?? 0;
    if (most >= 0 && streams >= most)
      throw new Fault('QuotaReached', 'The license does not cover another stream.');
  }

  /** Whether the nodes may be seen, drained and returned to service. */
  get coversCluster(): boolean {
    return this.#claims?.productType === 'enterprise' && this.#claims.features.includes('cluster');
  }

  /**
   * For features that only some licenses cover. An expired license still covers them: what is running continues
   * [R6.9].
   * @throws Fault EnterpriseOnly, or FeatureNotFound when an enterprise license does not include the feature
   * [R6.8]
   */
  requireEnterprise(feature: string): void {
    if (this.#claims?.productType !== 'enterprise') {
      throw new Fault('EnterpriseOnly', 'The license is not an enterprise license.');
    }
    if (!this.#claims.features.includes(feature)) {
      throw new Fault('FeatureNotFound', `The license does not cover ${feature}.`);
    }
  }

  async #keep(text: string): Promise<void> {
    await this.#settings.set(textKey, text);
    this.#text = text;
    this.#claims = claimsOf(text, this.#publicKey);
  }
}

/** A stored text that is no longer valid (because another key was configured) counts as no license. */
function claimsOf(text: string, publicKey: string): LicenseClaims | undefined {
  try {
    return readLicense(text, publicKey);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function communityClaims(nowMs: number): LicenseClaims {
  return {
    version: 1,
    owner: 'Community',
    productType: 'community',
    issuedAt: nowMs,
    expiresAt: null,
    maxStreams: -1,
    features: featuresOf('community'),
  };
}

/**
 * PEM of the server's own key, created at the first start. It signs only the license that this server issues to
 * itself.
 */
async function ownKey(settings: StoredSettings): Promise<string> {
  const stored = await settings.get(ownKeyKey);
  if (typeof stored === 'string') return stored;
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await settings.set(ownKeyKey, pem);
  return pem;
}
