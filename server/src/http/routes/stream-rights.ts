import type { StreamRightsService } from '../../streams/stream-rights.ts';
import type { Registrar } from '../registrar.ts';
import { wholeList } from '../whole-list.ts';

/** The dependencies of the calls for rights on streams. */
export interface StreamRightsServices {
  readonly streamRights: StreamRightsService;
}

/** Rights on streams: by stream and by user. */
export function registerStreamRights(registrar: Registrar, { streamRights }: StreamRightsServices): void {
  registrar.handle('getStreamPermissions', async ({ principal, stream }) =>
    wholeList(await streamRights.ofStream(principal, stream.stream)),
  );

  registrar.handle('saveStreamPermissions', async ({ principal, stream, body, audit }) =>
    wholeList(await streamRights.saveOfStream(principal, stream, body.items, audit)),
  );

  registrar.handle('getUserPermissions', async ({ params }) =>
    wholeList(await streamRights.ofUser(params.login)),
  );

  registrar.handle('saveUserPermissions', async ({ params, body, audit }) =>
    wholeList(await streamRights.saveOfUser(params.login, body.items, audit)),
  );
}
