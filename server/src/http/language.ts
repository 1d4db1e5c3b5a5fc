import type { FastifyRequest } from 'fastify';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { Config } from '../config/schema.ts';

/** The supported language that the reader prefers according to `Accept-Language` (RFC 9110). */
export function preferredLanguage(acceptLanguage: string | undefined): MessageLanguage | undefined {
  let best: { language: MessageLanguage; quality: number } | undefined;
  for (const range of (acceptLanguage ?? '').slice(0, 500).split(',')) {
    const [tag = '', weight = 'q=1', ...rest] = range.split(';').map((part) => part.trim());
    const language = /^(en|ru)(?:-[a-z0-9-]+)?$/i.exec(tag)?.[1]?.toLowerCase();
    const quality = Number(/^q=([01](?:\.\d{0,3})?)$/i.exec(weight)?.[1] ?? 0);
    if (language === undefined || rest.length > 0) continue;
    if (quality > (best?.quality ?? 0)) best = { language: language as MessageLanguage, quality };
  }
  return best?.language;
}

/** The language of a user without a profile: as configured, else that of the browser [R1.4]. */
export function languageOfVisitor(request: FastifyRequest, config: Pick<Config, 'app'>): MessageLanguage {
  return config.app.language ?? preferredLanguage(request.headers['accept-language']) ?? 'en';
}
