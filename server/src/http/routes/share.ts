import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/schema.ts';
import type { PublicLink, PublicLinks } from '../../streams/public-links.ts';
import type { LiveVariant } from '../../live/session.ts';
import type { LinkViewer, SharedViewing } from '../../streams/shared-viewing.ts';
import type { CallContext } from '../call-context.ts';
import { publicBase, requireIntent } from '../origin.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the public link calls. */
export interface ShareServices {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly publicLinks: PublicLinks;
  readonly sharedViewing: SharedViewing;
}

/** The public link of a stream: managed by users who may share, watched by anyone who has it. */
export function registerShare(
  registrar: Registrar,
  { config, publicLinks, sharedViewing }: ShareServices,
): void {
  const view = ({ key, isEmbeddable }: PublicLink, request: FastifyRequest) => ({
    url: `${publicBase(request, config.publicUrl)}/ui/share/${key}`,
    isEmbeddable,
  });

  registrar.handle('getStreamShare', async ({ stream, query, request, principal: by, ip }) => {
    const confirm = () => requireIntent(request, config.publicUrl);
    const creation = query.create ? { by, ip, confirm } : undefined;
    return view(await publicLinks.get(stream.stream, creation), request);
  });

  registrar.handle('saveStreamShare', async ({ stream, body, request, audit }) =>
    view(await publicLinks.setEmbeddable(stream.stream, body.isEmbeddable, audit), request),
  );

  registrar.handle('revokeStreamShare', async ({ stream, audit }) => {
    await publicLinks.revoke(stream.stream, audit);
    return {};
  });

  registrar.handle('getShared', ({ params }) => sharedViewing.info(params.key));

  registrar.handleSocket(
    'watchShared',
    (context, socket, uid: string) => sharedViewing.watch(viewerIn(context, uid), variantIn(context), socket),
    {
      admit: async ({ params, audit }) => (audit.target = await sharedViewing.admit(params.key)),
      handOver: (context, upgrade, uid: string) =>
        sharedViewing.handOver(viewerIn(context, uid), variantIn(context), upgrade),
    },
  );
}

function viewerIn({ params: { key }, ip }: CallContext<'watchShared'>, uid: string): LinkViewer {
  return { uid, key, ip };
}

function variantIn({ query }: CallContext<'watchShared'>): LiveVariant {
  return { audio: query.audio, keyFramesOnly: query.keyframes };
}
