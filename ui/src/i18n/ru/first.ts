import { account } from './account.ts';
import { shell } from './shell.ts';
import { streams } from './streams.ts';

/** The Russian words that the first screens need: the frame, signing in, the list. */
export const first = { ...shell, ...account, ...streams };
