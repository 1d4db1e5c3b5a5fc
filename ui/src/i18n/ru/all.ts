import type { en } from '../en/all.ts';
import { signedIn } from './signed-in.ts';
import { first } from './first.ts';

/** Every Russian message. */
export const ru: Readonly<Record<keyof typeof en, string>> = { ...first, ...signedIn };
