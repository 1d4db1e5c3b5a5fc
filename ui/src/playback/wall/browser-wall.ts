import { addressOf } from '@vidette/contract/routes';
import { browserClock } from '../../base/clock.ts';
import { browserMse } from '../media-sink.ts';
import { browserFrames } from './render-load-meter.ts';
import { Wall } from './wall.ts';

/** A wall in this browser, connected to the server of this page; the caller disposes of it. */
export function openWall(): Wall {
  return new Wall({
    clock: browserClock,
    frames: browserFrames,
    environment: browserMse(),
    open: () => {
      const address = new URL(addressOf('watchWall'), location.href);
      address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
      return new WebSocket(address);
    },
  });
}
