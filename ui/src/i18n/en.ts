import { desk } from './en-desk.ts';
import { first } from './en-first.ts';

/** Every English message; its keys are the keys of all languages. An area is a file, its name the keys' prefix. */
export const en = { ...first, ...desk };
