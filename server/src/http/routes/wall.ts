import { Fault } from '../../base/fault.ts';
import { WallSocket } from '../../live/wall-socket.ts';
import type { Registrar } from '../registrar.ts';
import type { Services } from '../services.ts';
import type { Watchers } from '../watchers.ts';

/** Live pictures of many streams over one WebSocket; the right to each is asked for when it is asked for. */
export function registerWall(registrar: Registrar, services: Services, watchers: Watchers): void {
  const { station, live, clock, log } = services;

  registrar.handleSocket('watchWall', ({ principal }, socket) => {
    new WallSocket({
      socket,
      clock,
      log,
      live,
      async admit({ uid, picture }, end) {
        const watcher = { principal, uid, right: 'view', end } as const;
        // Before the question, so that a right that goes while it is answered is missed by nobody.
        const forget = watchers.add(watcher);
        try {
          const code = await watchers.judge(watcher);
          if (code !== undefined) throw new Fault(code, 'The stream may not be watched.');
          const running = station.get(uid);
          const { stream, leases } = (picture === 'sub' ? running.sub : undefined) ?? running;
          const release = leases.addViewer();
          return {
            stream,
            leave() {
              forget();
              release();
            },
          };
        } catch (error) {
          forget();
          throw error;
        }
      },
    });
  });
}
