import type { FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../base/fault.ts';
import { languageOfVisitor } from './language.ts';
import { fillPage, sendPage } from './page-body.ts';
import type { PageFiles } from './page-files.ts';
import { allowEmbedding } from './security-headers.ts';
import type { Config } from '../config/schema.ts';
import type { Store } from '../store/store.ts';

/** The dependencies of the page of a public link. */
export interface SharePageServices {
  readonly config: Pick<Config, 'app'>;
  readonly store: Pick<Store, 'streams'>;
}

/**
 * The public page of a shared stream: a separate page, a fraction of the application's size, which contains the
 * stream's name, so that the video waits for no call. An invalid link gets the same page with an error message
 * and status 404.
 */
export async function sendSharePage(
  request: FastifyRequest,
  reply: FastifyReply,
  files: PageFiles,
  services: SharePageServices,
  key: string,
): Promise<FastifyReply> {
  const { config, store } = services;
  const template = await files.find('share.html');
  if (!template) throw new Fault('Unavailable', 'The page has not been built.');
  const stream = await store.streams.byShareKey(key);
  const language = languageOfVisitor(request, config);
  const { title } = config.app;
  const boot = { key, name: stream?.name ?? null, title, language };
  if (!stream) void reply.code(404);
  if (stream?.shareEmbeds) allowEmbedding(reply);
  void reply.header('cache-control', 'private, no-store').header('x-robots-tag', 'noindex');
  const html = fillPage(template, {
    boot,
    language,
    title: stream ? `${stream.name} - ${title}` : title,
    theme: 'auto',
  });
  return sendPage(request, reply, template, html);
}
