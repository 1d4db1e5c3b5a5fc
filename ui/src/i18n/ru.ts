import type { Catalogue } from './i18n.ts';
import { signedIn } from './ru-signed-in.ts';
import { first } from './ru-first.ts';

/** Every Russian message. */
export const ru: Catalogue = { ...first, ...signedIn };
