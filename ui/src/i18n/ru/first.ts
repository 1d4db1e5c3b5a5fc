import { account } from './account.ts';
import { shell } from './shell.ts';
import { streams } from './streams.ts';

/** The Russian messages of the first screens: the frame, sign-in, the list of streams. */
export const first = { ...shell, ...account, ...streams };
