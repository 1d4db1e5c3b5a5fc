import type { LiveVariantChoice, LiveViewer, LiveViewing } from '../../streams/live-viewing.ts';
import type { CallContext, MediaAnswer } from '../call-context.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the live video calls. */
export interface LiveServices {
  readonly liveViewing: Pick<LiveViewing, 'watch' | 'handOver' | 'file'>;
}

/** Live video: a WebSocket for the page, LL-HLS for external players. */
export function registerLive(registrar: Registrar, { liveViewing }: LiveServices): void {
  registrar.handleSocket(
    'watchStream',
    (context, socket) => liveViewing.watch(viewerIn(context), choiceIn(context), socket),
    { handOver: (context, upgrade) => liveViewing.handOver(viewerIn(context), choiceIn(context), upgrade) },
  );

  registrar.handle('getLiveFile', (context): Promise<MediaAnswer> => {
    const { params, request, signal } = context;
    const query = new URLSearchParams(request.url.split('?')[1] ?? '');
    return liveViewing.file(viewerIn(context), params.file, query, signal);
  });
}

function choiceIn({ query }: CallContext<'watchStream'>): LiveVariantChoice {
  const { audio, keyframes: keyFramesOnly, convert: isConverted } = query;
  return { audio, keyFramesOnly, isConverted };
}

function viewerIn({
  principal,
  stream,
  ip,
}: Pick<CallContext<'getLiveFile'>, 'principal' | 'stream' | 'ip'>): LiveViewer {
  return { principal, uid: stream.stream.uid, ip };
}
