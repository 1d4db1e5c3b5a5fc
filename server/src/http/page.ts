import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../base/fault.ts';
import { identify } from './credentials.ts';
import { faultOf, logFault, sendFault } from './failure.ts';
import { languageOfVisitor } from './language.ts';
import { firstFilesFor, firstStillFor, linksTo } from './first-files.ts';
import { fillPage, sendBody, sendPage } from './page-body.ts';
import { PageFiles } from './page-files.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../store/store.ts';
import type { Authenticator } from '../access/authenticator.ts';
import { findHelpPage, sendHelpPage } from './help-page.ts';
import { sendSharePage } from './share-page.ts';
import { settingsView, type SettingsSources } from '../system/settings-view.ts';
import { profileView } from '../accounts/user-view.ts';

/** The dependencies of the page. */
export interface PageServices extends SettingsSources {
  readonly log: Log;
  readonly store: Pick<Store, 'streams'>;
  readonly authenticator: Authenticator;
  /** Folder of the built page. */
  readonly pageDir: string;
}

const oneYear = 'public, max-age=31536000, immutable';

/**
 * The web application under /ui/: its files by name, and the page itself at every other address there, so that
 * deep links work on a hard reload. The page contains the settings and the user, so that the first screen waits
 * for no call [R1.2].
 */
export async function servePage(server: FastifyInstance, services: PageServices): Promise<void> {
  const files = await PageFiles.open(services.pageDir);
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const name = nameOf(request.url);
    try {
      const filled = name === undefined ? undefined : filledFiles.get(name);
      if (filled) return await filled(request, reply, files, services);
      const help = name === undefined ? undefined : await findHelpPage(files, name);
      if (help) return await sendHelpPage(request, reply, help, services);
      const file = name === undefined || name === 'index.html' ? undefined : await files.find(name);
      if (name !== undefined && file) {
        const { encoding, bytes } = await files.encode(name, file, request.headers['accept-encoding'] ?? '');
        void reply.header('cache-control', file.isImmutable ? oneYear : 'no-cache');
        return sendBody(request, reply, { bytes, encoding, etag: file.etag, contentType: file.contentType });
      }
      // A page of an older version may request files that no longer exist; the shell in their place would only
      // confuse it.
      if (name?.startsWith('assets/')) throw new Fault('NotFound', 'There is no such file.');
      const shareKey = name === undefined ? undefined : /^share\/([\w-]+)$/.exec(name)?.[1];
      return shareKey === undefined
        ? await sendShell(request, reply, files, services)
        : await sendSharePage(request, reply, files, services, shareKey);
    } catch (error) {
      const fault = faultOf(error);
      logFault(services.log, fault, { url: request.url });
      return sendFault(reply, fault, languageOfVisitor(request, services.config));
    }
  };
  const methods = ['GET', 'HEAD'] as const;
  server.route({ method: [...methods], url: '/', handler: (_, reply) => reply.redirect('/ui/') });
  server.route({ method: [...methods], url: '/ui', handler: (_, reply) => reply.redirect('/ui/') });
  server.route({ method: [...methods], url: '/ui/*', handler: handle });
}

type Send = (
  request: FastifyRequest,
  reply: FastifyReply,
  files: PageFiles,
  services: PageServices,
) => Promise<FastifyReply>;

/** Files that contain the application's name, whose title is configurable. */
const filledFiles: ReadonlyMap<string, Send> = new Map([
  ['manifest.webmanifest', sendManifest],
  ['offline.html', sendOfflinePage],
]);

/** The name of the installed application [R1.8]. */
async function sendManifest(
  request: FastifyRequest,
  reply: FastifyReply,
  files: PageFiles,
  { config }: PageServices,
): Promise<FastifyReply> {
  const template = await files.find('manifest.webmanifest');
  if (!template) throw new Fault('NotFound', 'The page has not been built.');
  const manifest = JSON.parse(template.bytes.toString('utf8')) as Record<string, unknown>;
  const named = { ...manifest, name: config.app.title, short_name: config.app.title };
  void reply.header('cache-control', 'no-cache');
  return sendPage(request, reply, template, JSON.stringify(named));
}

/** The page that a browser caches for times when this server is offline; it is the same for every user. */
async function sendOfflinePage(
  request: FastifyRequest,
  reply: FastifyReply,
  files: PageFiles,
  { config }: PageServices,
): Promise<FastifyReply> {
  const template = await files.find('offline.html');
  if (!template) throw new Fault('NotFound', 'The page has not been built.');
  const { title } = config.app;
  const html = fillPage(template, { boot: { title }, language: 'en', title, theme: 'auto' });
  void reply.header('cache-control', 'no-cache');
  return sendPage(request, reply, template, html);
}

async function sendShell(
  request: FastifyRequest,
  reply: FastifyReply,
  files: PageFiles,
  services: PageServices,
): Promise<FastifyReply> {
  const template = await files.find('index.html');
  if (!template) throw new Fault('Unavailable', 'The page has not been built.');
  const principal = await identify(request, services.authenticator);
  const settings = settingsView(services, principal);
  const language = principal?.user.language ?? languageOfVisitor(request, services.config);
  const user = principal ? profileView(principal.user) : null;
  const boot = { settings, user, language };
  const theme = user?.preferences.theme ?? 'auto';
  const first = await firstFilesFor(files, {
    path: `/${nameOf(request.url) ?? ''}`,
    isLocked: settings.isLocked,
    isSignedIn: user !== null,
    language,
  });
  const links = linksTo(first, user === null ? undefined : firstStillFor(request.url));
  const html = fillPage(template, { boot, language, title: settings.appTitle, theme, links });
  void reply.header('cache-control', 'private, no-cache');
  return sendPage(request, reply, template, html);
}

/** The part of an address after `/ui/`, without the query; undefined when it can't be a file name. */
function nameOf(url: string): string | undefined {
  const path = url.split('?', 1)[0]?.slice('/ui/'.length) ?? '';
  return /^[\w./-]+$/.test(path) ? path : undefined;
}
