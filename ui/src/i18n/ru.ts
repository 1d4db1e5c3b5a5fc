import type { Catalogue } from './i18n.ts';
import { account } from './ru/account.ts';
import { administration } from './ru/administration.ts';
import { people } from './ru/people.ts';
import { player } from './ru/player.ts';
import { records } from './ru/records.ts';
import { reference } from './ru/reference.ts';
import { shell } from './ru/shell.ts';
import { streams } from './ru/streams.ts';

/** Every Russian message. */
export const ru: Catalogue = {
  ...shell,
  ...account,
  ...administration,
  ...streams,
  ...player,
  ...people,
  ...records,
  ...reference,
};
