/** The front process. See `front-program.ts`. */
import { start } from './bundled.ts';

await start('front');
