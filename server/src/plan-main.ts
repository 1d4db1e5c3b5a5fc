/** The process that reads the configuration for the supervisor. See `plan-program.ts`. */
import { start } from './bundled.ts';

await start('plan');
