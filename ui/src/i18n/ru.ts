import type { Catalogue } from './i18n.ts';
import { desk } from './ru-desk.ts';
import { first } from './ru-first.ts';

/** Every Russian message. */
export const ru: Catalogue = { ...first, ...desk };
