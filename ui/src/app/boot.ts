import { bootElementId } from '@vidette/contract/constants';
import type { Profile, Settings } from '@vidette/contract/entities';
import type { MessageLanguage } from '@vidette/contract/errors';

/** What the server writes into the page so that the first screen needs no call [R1.2]. */
export interface Boot {
  readonly settings: Settings;
  readonly user: Profile | null;
  /** The language the server chose for this reader. */
  readonly language: MessageLanguage | null;
}

/** The boot data, or null when the page was not served by the server itself (a development server). */
export function readBoot(page: Document): Boot | null {
  const text = page.getElementById(bootElementId)?.textContent.trim();
  return text ? (JSON.parse(text) as Boot) : null;
}
