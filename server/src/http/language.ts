import type { FastifyRequest } from 'fastify';
import type { Language } from '@vidette/contract/errors';
import type { Config } from '../config/schema.ts';

/** The language of RFC 9110 `Accept-Language` that this product speaks and the reader likes best. */
export function preferredLanguage(acceptLanguage: string | undefined): Language | undefined {
  let best: { language: Language; quality: number } | undefined;
  for (const range of (acceptLanguage ?? '').slice(0, 500).split(',')) {
    const match = /^\s*(en|ru)(?:-[a-z0-9-]+)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/i.exec(range);
    if (!match) continue;
    const quality = match[2] === undefined ? 1 : Number(match[2]);
    if (quality > 0 && quality > (best?.quality ?? 0)) {
      best = { language: match[1]?.toLowerCase() as Language, quality };
    }
  }
  return best?.language;
}

/** The language of somebody who has no profile: as configured, else as their browser asks [R1.4]. */
export function languageOfVisitor(request: FastifyRequest, config: Config): Language {
  return config.app.language ?? preferredLanguage(request.headers['accept-language']) ?? 'en';
}
