import { administration } from './ru/administration.ts';
import { cluster } from './ru/cluster.ts';
import { command } from './ru/command.ts';
import { configKeys } from './ru/config-keys.ts';
import { depthLoss } from './ru/depth-loss.ts';
import { exports } from './ru/exports.ts';
import { gapCauses } from './ru/gap-causes.ts';
import { guide } from './ru/guide.ts';
import { mosaics } from './ru/mosaics.ts';
import { people } from './ru/people.ts';
import { player } from './ru/player.ts';
import { profile } from './ru/profile.ts';
import { records } from './ru/records.ts';
import { reference } from './ru/reference.ts';
import { tunnel } from './ru/tunnel.ts';
import { warnings } from './ru/warnings.ts';

/**
 * The Russian words of the screens at the desk, fetched with the first of them: administration, people,
 * records, and watching.
 */
export const signedIn = {
  ...administration,
  ...command,
  ...cluster,
  ...configKeys,
  ...depthLoss,
  ...exports,
  ...gapCauses,
  ...guide,
  ...mosaics,
  ...people,
  ...player,
  ...profile,
  ...records,
  ...reference,
  ...tunnel,
  ...warnings,
};
