// A process that imports recordings: `importing-fixture.ts ROOT CATALOG`.
import { systemClock } from '../../base/clock.ts';
import { importRecordings, recordingsOf } from './recordings.ts';

const [root = '', catalogPath = ''] = process.argv.slice(2);
await importRecordings({
  cameras: [recordingsOf('gate', 'gate', { root, template: '%path/%s.mp4', zone: null })],
  uids: new Map([['gate', 'cam1']]),
  catalogPath,
  clock: systemClock,
  out: () => {},
});
