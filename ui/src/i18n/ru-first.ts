import { account } from './ru/account.ts';
import { shell } from './ru/shell.ts';
import { streams } from './ru/streams.ts';

/** The Russian words that the first screens need: the frame, signing in, the list. */
export const first = { ...shell, ...account, ...streams };
