/** The `vidette` program: without a command, the server. See `main-program.ts`. */
import { start } from './bundled.ts';

await start('main');
