import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from './clock.ts';
import { watchForHangs, type HangWatch } from './hang-watch.ts';

watchForHangs(systemClock, workerData as HangWatch);
// Keeps the thread alive, as its work would.
parentPort?.on('message', () => {});
parentPort?.postMessage('watching');
