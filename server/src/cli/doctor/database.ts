/** The database, and the cameras that it names. */
import { existsSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../config/schema.ts';
import { parseSourceAddress, shownSource } from '../../dial/address.ts';
import { canConnect, createDial } from '../../dial/dial.ts';
import { databasePlace, isCurrent, type DatabasePlace } from '../../store/open-database.ts';
import { Store } from '../../store/store.ts';
import type { StreamRecord } from '../../store/stream-row.ts';
import { isUsable } from './files.ts';
import { bad, good, warning, type Finding } from './finding.ts';

/** Connections to cameras at the same time. */
const dialsMax = 16;

/** Whether the database can be used; the cameras' connections are tried if it is that of this version. Changes nothing. */
export async function checkDatabase(config: Config, clock: Clock): Promise<readonly Finding[]> {
  const check = 'database';
  const place = databasePlace(config);
  if ('file' in place && !existsSync(place.file))
    return [good(check, `There is no database yet: the server creates ${place.file} at its first start.`)];
  if ('file' in place && !(await isUsable(place.file)))
    return [
      bad(
        check,
        `This user may not read and write ${place.file}.`,
        'Run this command as the user of the server; if that is this user, give it the file (chown).',
      ),
    ];
  try {
    if (!(await isCurrent(place)))
      return [
        warning(
          check,
          'Another version of Vidette has used the database last.',
          'Start this version, which migrates it, or says that it is older.',
        ),
      ];
    return [
      good(check, 'The database is intact and of this version.'),
      ...(await checkCameras(place, clock)),
    ];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [
      bad(
        check,
        `The database can't be used: ${error.message}`,
        'file' in place
          ? 'See “When the database is lost” in the guide, page Back up.'
          : 'Start the PostgreSQL server, check that this machine reaches it, and correct `database` or VIDETTE_DATABASE.',
      ),
    ];
  }
}

async function checkCameras(place: DatabasePlace, clock: Clock): Promise<readonly Finding[]> {
  const store = await Store.open({ ...place, redact: shownSource });
  const waiting: StreamRecord[] = [];
  for await (const stream of store.streams.all()) if (!stream.isPaused) waiting.push(stream);
  await store.close();
  const findings: Finding[] = [];
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const finding = await checkCamera(next, clock);
      if (finding) findings.push(finding);
    }
  };
  await Promise.all(Array.from({ length: dialsMax }, work));
  return findings.sort((a, b) => (a.check < b.check ? -1 : 1));
}

/** Undefined for sources that nothing is connected to. */
async function checkCamera(
  { name, source, allowsLoopback }: { name: string; source: string; allowsLoopback: boolean },
  clock: Clock,
): Promise<Finding | undefined> {
  const check = `stream ${name}`;
  const address = source === '' ? undefined : parseSourceAddress(source);
  if (!address)
    return bad(
      check,
      'Its address can’t be decrypted.',
      'Restore secret.key from a backup, or enter the address again.',
    );
  if (address.host === '' || ['demo', 'udp', 'srt'].includes(address.scheme)) return undefined;
  const dial = createDial({ clock, allowLoopback: allowsLoopback });
  return (await canConnect(dial, address.host, address.port))
    ? good(check, `${address.host} accepts connections on port ${address.port}.`)
    : bad(
        check,
        `${address.host} does not answer on port ${address.port}.`,
        'Check the camera’s power, network and address; from this machine, try to reach it with another program.',
      );
}
