import { signedIn } from './en-signed-in.ts';
import { first } from './en-first.ts';

/** Every English message; its keys are the keys of all languages. An area is a file, its name the keys' prefix. */
export const en = { ...first, ...signedIn };
