import { join, resolve } from 'node:path';
import { pino, type Logger } from 'pino';
import packageFile from '../../../package.json' with { type: 'json' };
import { catalogPath } from '../archive/segments/segments.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { LoadLevel } from '../base/load-level.ts';
import type { Log } from '../base/log.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { Config } from '../config/schema.ts';
import { LogRing } from '../system/log-ring.ts';
import { ownCommand } from '../processes/server-program.ts';

/** What every area needs and no area has to close. */
export interface Foundation {
  readonly configStore: ConfigStore;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly logRing: LogRing;
  /** What waits while this node is overloaded. */
  readonly load: LoadLevel;
  readonly version: string;
  /** The source revision from which the version was built. */
  readonly revision: string;
  /** How the operator runs a command of this program, without its name. */
  readonly command: string;
  readonly archiveDir: string;
  /** Path of the archive's catalog. */
  readonly catalog: string;
}

export function composeFoundation(configStore: ConfigStore): Foundation {
  const { config } = configStore;
  const clock = systemClock;
  const logRing = new LogRing(clock);
  // Lines for the operator go to standard output, structured logs to standard error.
  const lines: Logger = pino(
    { level: config.log.level, base: null },
    pino.destination({ dest: 2, sync: false }),
  );
  configStore.onApplied(() => {
    lines.level = config.log.level;
  });
  const { version } = packageFile;
  const archiveDir = resolve(config.dataDir, config.archive.folder ?? 'archive');
  return {
    configStore,
    config,
    clock,
    log: logRing.tee(lines),
    logRing,
    load: new LoadLevel(),
    version,
    revision: version,
    command: ownCommand,
    archiveDir,
    catalog: catalogPath(join(config.dataDir, 'archive')),
  };
}
