import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../access/authenticator.ts';
import { profileView } from '../accounts/user-view.ts';
import type { Config } from '../config/schema.ts';
import { identify } from './credentials.ts';
import { fillPage, sendPage } from './page-body.ts';
import type { PageFile, PageFiles } from './page-files.ts';

/** The dependencies of the guide's pages. */
export interface HelpPageServices {
  readonly config: Pick<Config, 'app'>;
  readonly authenticator: Authenticator;
}

/** The page of the guide with a name below `/ui/`; undefined if it is not one. */
export async function findHelpPage(files: PageFiles, name: string): Promise<PageFile | undefined> {
  const page = /^help\/((?:[\w-]+\.html)?)$/.exec(name)?.[1];
  return page === undefined ? undefined : files.find(`help/${page === '' ? 'index.html' : page}`);
}

/**
 * A page of the guide, in the theme of the user if there is one. It contains nothing of the server but its name, and needs no
 * sign-in: people who can't sign in read it too.
 */
export async function sendHelpPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageFile,
  { config, authenticator }: HelpPageServices,
): Promise<FastifyReply> {
  const principal = await identify(request, authenticator);
  const name = /<title>([^<]*)<\/title>/.exec(page.bytes.toString('utf8'))?.[1] ?? '';
  void reply.header('cache-control', 'private, no-cache');
  const html = fillPage(page, {
    boot: null,
    language: 'en',
    title: `${name} – ${config.app.title}`,
    theme: principal ? profileView(principal.user).preferences.theme : 'auto',
  });
  return sendPage(request, reply, page, html);
}
