// A process that imports recordings, and says when the first of them are stored: `importing-fixture.ts ROOT CATALOG`.
import { once } from 'node:events';
import { ManualClock } from '../../base/manual-clock.ts';
import { ImportedCatalog } from '../catalog/catalog.ts';
import { type FoundRecording, RecordingImporter } from './recording-importer.ts';

const [root = '', path = ''] = process.argv.slice(2);
const [recordings] = (await once(process, 'message')) as [FoundRecording[]];
const catalog = ImportedCatalog.open(path, 1000);
let files = 0;
const onFile = () => {
  // After the first transaction, and before the second.
  if (++files === 300) process.send?.('stored');
};
const importer = new RecordingImporter('cam1', {
  ...{ catalog, root, onFile },
  clock: new ManualClock(),
});
await importer.run([{ folder: '', recordings }]);
