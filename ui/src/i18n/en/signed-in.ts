import { administration } from './administration.ts';
import { cluster } from './cluster.ts';
import { command } from './command.ts';
import { configKeys } from './config-keys.ts';
import { depthLoss } from './depth-loss.ts';
import { events } from './events.ts';
import { exports } from './exports.ts';
import { find } from './find.ts';
import { firstSteps } from './first-steps.ts';
import { gapCauses } from './gap-causes.ts';
import { guide } from './guide.ts';
import { mosaics } from './mosaics.ts';
import { notifications } from './notifications.ts';
import { people } from './people.ts';
import { player } from './player.ts';
import { profile } from './profile.ts';
import { records } from './records.ts';
import { reference } from './reference.ts';
import { streamPages } from './stream-pages.ts';
import { tunnel } from './tunnel.ts';
import { warnings } from './warnings.ts';

/** The English messages of the screens behind the sign-in, loaded with the first of them. */
export const signedIn = {
  ...administration,
  ...command,
  ...cluster,
  ...configKeys,
  ...depthLoss,
  ...events,
  ...exports,
  ...find,
  ...firstSteps,
  ...gapCauses,
  ...guide,
  ...mosaics,
  ...notifications,
  ...people,
  ...player,
  ...profile,
  ...records,
  ...reference,
  ...streamPages,
  ...tunnel,
  ...warnings,
};
