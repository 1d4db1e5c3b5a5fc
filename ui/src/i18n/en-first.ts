import { account } from './en/account.ts';
import { shell } from './en/shell.ts';
import { streams } from './en/streams.ts';

/** The English words that the first screens need: the frame, signing in, the list. */
export const first = { ...shell, ...account, ...streams };
