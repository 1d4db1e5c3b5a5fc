/** An engine process. See `engine-program.ts`. */
import { start } from './bundled.ts';

await start('engine');
