import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bootElementId } from '@vidette/contract/constants';
import { Fault } from '../base/fault.ts';
import { identify } from './credentials.ts';
import { faultOf, logFault, sendFault } from './failure.ts';
import { languageOfVisitor } from './language.ts';
import { bestEncoding, compress, etagOf, PageFiles } from './page-files.ts';
import type { Services } from './services.ts';
import { settingsView } from './settings-view.ts';
import { userView } from './user-view.ts';

const bootPlace = new RegExp(`(<script type="application/json" id="${bootElementId}">)[^<]*(</script>)`);
const oneYear = 'public, max-age=31536000, immutable';

/**
 * The web application under /ui/: its files by name, and for every other address there the page itself, so that deep
 * links work on a hard reload. The page carries the settings and the reader: the first screen waits for no call [R1.2].
 */
export async function servePage(server: FastifyInstance, services: Services): Promise<void> {
  const files = await PageFiles.open(services.pageDir);
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const name = nameOf(request.url);
    try {
      const file = name === undefined || name === 'index.html' ? undefined : await files.find(name);
      if (name !== undefined && file) {
        const { encoding, bytes } = await files.encode(name, file, request.headers['accept-encoding'] ?? '');
        void reply.header('cache-control', file.isImmutable ? oneYear : 'no-cache');
        return send(request, reply, { bytes, encoding, etag: file.etag, contentType: file.contentType });
      }
      // A page of an older version asks for files that are gone; the shell in their place would only confuse it.
      if (name?.startsWith('assets/')) throw new Fault('NotFound', 'There is no such file.');
      return await sendShell(request, reply, files, services);
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

async function sendShell(
  request: FastifyRequest,
  reply: FastifyReply,
  files: PageFiles,
  services: Services,
): Promise<FastifyReply> {
  const template = await files.find('index.html');
  if (!template) throw new Fault('Unavailable', 'The page has not been built.');
  const principal = await identify(request, services.doorkeeper);
  const settings = settingsView(services, principal);
  const language = principal?.user.language ?? languageOfVisitor(request, services.config);
  const boot = { settings, user: principal ? userView(principal.user) : null, language };
  const html = template.bytes
    .toString('utf8')
    .replace(bootPlace, (_, open: string, close: string) => `${open}${jsonForHtml(boot)}${close}`)
    .replace(/<html lang="[^"]*"/, `<html lang="${language}"`)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${textForHtml(settings.appTitle)}</title>`);
  const bytes = Buffer.from(html);
  const encoding = bestEncoding(request.headers['accept-encoding'] ?? '');
  void reply.header('cache-control', 'private, no-cache');
  return send(request, reply, {
    bytes: encoding === 'identity' ? bytes : await compress(bytes, encoding),
    encoding,
    etag: etagOf(bytes),
    contentType: template.contentType,
  });
}

interface Body {
  readonly bytes: Buffer;
  readonly encoding: string;
  readonly etag: string;
  readonly contentType: string;
}

function send(request: FastifyRequest, reply: FastifyReply, body: Body): FastifyReply {
  // Weak: the same content may travel in several encodings (RFC 9110, 8.8.1).
  const etag = `W/${body.etag}`;
  void reply.header('etag', etag).header('vary', 'accept-encoding, accept-language, cookie');
  if (request.headers['if-none-match']?.includes(body.etag)) return reply.code(304).send();
  if (body.encoding !== 'identity') void reply.header('content-encoding', body.encoding);
  return reply.type(body.contentType).send(body.bytes);
}

/** What follows `/ui/` in an address, without the query; undefined for what is no file name anyway. */
function nameOf(url: string): string | undefined {
  const path = url.split('?', 1)[0]?.slice('/ui/'.length) ?? '';
  return /^[\w./-]+$/.test(path) ? path : undefined;
}

/** JSON that cannot end its script element nor start a comment in it. */
function jsonForHtml(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function textForHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
