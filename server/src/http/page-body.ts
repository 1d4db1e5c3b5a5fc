import type { FastifyReply, FastifyRequest } from 'fastify';
import { bootElementId } from '@vidette/contract/constants';
import type { Profile } from '@vidette/contract/entities';
import type { MessageLanguage } from '@vidette/contract/errors';
import { bestEncoding, compress, etagOf, type PageFile } from './page-files.ts';

const bootPlace = new RegExp(`(<script type="application/json" id="${bootElementId}">)[^<]*(</script>)`);

/** Values filled into a built page before it is sent. */
export interface PageFilling {
  /** JSON for the page's script, which saves it a request. */
  readonly boot: unknown;
  readonly language: MessageLanguage;
  readonly title: string;
  /** The reader's preference; without one the page follows the system. */
  readonly theme: Profile['preferences']['theme'];
  /** Tags added to the page's head. */
  readonly links?: string;
}

/** The page's HTML with boot data, language and title filled in. */
export function fillPage(
  template: PageFile,
  { boot, language, title, theme, links = '' }: PageFilling,
): string {
  return template.bytes
    .toString('utf8')
    .replace(bootPlace, (_, open: string, close: string) => `${open}${jsonForHtml(boot)}${close}`)
    .replace(
      /<html lang="[^"]*"/,
      `<html lang="${language}"${theme === 'auto' ? '' : ` data-mantine-color-scheme="${theme}"`}`,
    )
    .replace(/<title>[^<]*<\/title>/, () => `<title>${textForHtml(title)}</title>`)
    .replace('</head>', () => `  ${links}\n  </head>`);
}

/** Sends a filled page, in an encoding that the reader accepts. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  template: PageFile,
  html: string,
): Promise<FastifyReply> {
  const bytes = Buffer.from(html);
  const encoding = bestEncoding(request.headers['accept-encoding'] ?? '');
  return sendBody(request, reply, {
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

/** Sends bytes that are already encoded, or 304 if the reader has them. */
export function sendBody(request: FastifyRequest, reply: FastifyReply, body: Body): FastifyReply {
  // Weak: the same content may travel in several encodings (RFC 9110, 8.8.1).
  const etag = `W/${body.etag}`;
  void reply.header('etag', etag).header('vary', 'accept-encoding, accept-language, cookie');
  if (request.headers['if-none-match']?.includes(body.etag)) return reply.code(304).send();
  if (body.encoding !== 'identity') void reply.header('content-encoding', body.encoding);
  return reply.type(body.contentType).send(body.bytes);
}

/** JSON that can neither end its script element nor start a comment in it. */
function jsonForHtml(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function textForHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
