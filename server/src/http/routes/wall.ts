import type { WallViewing } from '../../streams/wall-viewing.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the wall call. */
export interface WallServices {
  readonly wallViewing: Pick<WallViewing, 'watch'>;
}

/** Live video of many streams over one WebSocket. */
export function registerWall(registrar: Registrar, { wallViewing }: WallServices): void {
  registrar.handleSocket('watchWall', ({ principal, ip }, socket) =>
    wallViewing.watch(principal, ip, socket),
  );
}
