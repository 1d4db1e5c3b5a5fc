import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long a device remains known after a sign-in. */
export const deviceMs = 365 * 86_400_000;
/** An older cookie is replaced at the next sign-in, so that the devices of regular users remain known. */
const renewAfterMs = 30 * 86_400_000;

const valuePattern = /^([\w-]{16})\.([0-9a-z]{1,12})\.([\w-]{43})$/;

/** The cookie by which a browser shows that its user has signed in there before. */
export interface DeviceCookie {
  readonly name: string;
  readonly value: string;
}

/**
 * Browsers in which a user has signed in before, recognised by a signed cookie bound to that user. The cookie
 * grants no access: it prevents other people's password guesses from slowing the owner down.
 */
export class KnownDevices {
  readonly #key: Buffer;

  constructor(secret: Uint8Array) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'vidette known devices', 32));
  }

  /** The id under which the device is counted; undefined when the cookies prove none for this user. */
  find(
    cookies: Readonly<Record<string, string | undefined>>,
    userId: number,
    nowMs: number,
  ): { readonly id: string; readonly isDueForRenewal: boolean } | undefined {
    const [, id = '', issued = '', mac = ''] = valuePattern.exec(cookies[this.#nameFor(userId)] ?? '') ?? [];
    const ageMs = nowMs - Number.parseInt(issued, 36);
    if (id === '' || !(ageMs < deviceMs)) return undefined;
    const expected = this.#macOf(userId, id, issued);
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return undefined;
    return { id, isDueForRenewal: ageMs > renewAfterMs };
  }

  /** The cookie for a browser in which the user has just signed in. */
  issue(userId: number, nowMs: number): DeviceCookie {
    const id = randomBytes(12).toString('base64url');
    const issued = nowMs.toString(36);
    return { name: this.#nameFor(userId), value: `${id}.${issued}.${this.#macOf(userId, id, issued)}` };
  }

  /** Does not reveal the user's id. */
  #nameFor(userId: number): string {
    return `vidette_device_${this.#hmac(`name ${userId}`).slice(0, 10)}`;
  }

  #macOf(userId: number, id: string, issued: string): string {
    return this.#hmac(`device ${userId} ${id} ${issued}`);
  }

  #hmac(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
