import { administration } from './en/administration.ts';
import { cluster } from './en/cluster.ts';
import { command } from './en/command.ts';
import { configKeys } from './en/config-keys.ts';
import { depthLoss } from './en/depth-loss.ts';
import { exports } from './en/exports.ts';
import { gapCauses } from './en/gap-causes.ts';
import { guide } from './en/guide.ts';
import { mosaics } from './en/mosaics.ts';
import { people } from './en/people.ts';
import { player } from './en/player.ts';
import { profile } from './en/profile.ts';
import { records } from './en/records.ts';
import { reference } from './en/reference.ts';
import { tunnel } from './en/tunnel.ts';
import { warnings } from './en/warnings.ts';

/**
 * The English words of the screens at the desk, fetched with the first of them: administration, people,
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
