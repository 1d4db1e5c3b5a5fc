import { people } from './en/people.ts';
import { player } from './en/player.ts';
import { records } from './en/records.ts';
import { reference } from './en/reference.ts';
import { shell } from './en/shell.ts';
import { streams } from './en/streams.ts';
import { account } from './en/account.ts';
import { administration } from './en/administration.ts';

/** Every English message; its keys are the keys of all languages. An area is a file, its name the keys' prefix. */
export const en = {
  ...shell,
  ...account,
  ...administration,
  ...streams,
  ...player,
  ...people,
  ...records,
  ...reference,
};
