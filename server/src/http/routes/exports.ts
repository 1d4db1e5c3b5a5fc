import type { ExportPackage, ExportService } from '../../recordings/export-service.ts';
import { parseByteRange } from '../byte-range.ts';
import type { MediaAnswer } from '../call-context.ts';
import { dispositionOf } from '../disposition.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the export calls. */
export interface ExportServices {
  readonly exportService: ExportService;
}

/** Packages of footage: requested, tracked, downloaded, removed. */
export function registerExports(registrar: Registrar, { exportService: exports }: ExportServices): void {
  registrar.handle('listExports', async ({ principal, query }) => ({
    ...(await exports.list(principal, query)),
    ...query,
  }));

  registrar.handle('addExport', ({ principal, body, audit }) => exports.add(principal, body, audit));

  registrar.handle('addDigestExport', ({ principal, body, audit }) =>
    exports.addDigest(principal, body, audit),
  );

  registrar.handle('getExport', ({ principal, params }) => exports.get(principal, params.id));

  registrar.handle('retryExport', ({ principal, params, audit }) =>
    exports.retry(principal, params.id, audit),
  );

  registrar.handle('deleteExport', async ({ principal, params, audit }) => {
    await exports.remove(principal, params.id, audit);
    return {};
  });

  registrar.handle('downloadExport', async ({ principal, params, request, audit }) =>
    packageAnswer(await exports.package(principal, params.id, audit), request.headers.range),
  );
}

/** A package, complete or one range of it (RFC 9110, 14). */
async function packageAnswer(found: ExportPackage, requested: string | undefined): Promise<MediaAnswer> {
  const { bytes } = found;
  const [contentType, extension] =
    found.kind === 'digest' ? (['video/mp4', 'mp4'] as const) : (['application/zip', 'zip'] as const);
  const range = parseByteRange(requested, bytes);
  if (range === 'unsatisfiable') {
    return { contentType, status: 416, headers: { 'content-range': `bytes */${bytes}` }, body: '' };
  }
  const { start, end } = range ?? { start: 0, end: bytes - 1 };
  return {
    contentType,
    status: range ? 206 : 200,
    headers: {
      'accept-ranges': 'bytes',
      'content-length': String(end - start + 1),
      'content-disposition': dispositionOf(found.name, found.startMs, 0, extension),
      ...(range ? { 'content-range': `bytes ${start}-${end}/${bytes}` } : {}),
    },
    body: await found.stream(start, end),
  };
}
