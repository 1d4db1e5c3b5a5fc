import { signedIn } from './signed-in.ts';
import { first } from './first.ts';

/** Every English message; its keys are the keys of all languages. An area is a file, its name the keys' prefix. */
export const en = { ...first, ...signedIn };
