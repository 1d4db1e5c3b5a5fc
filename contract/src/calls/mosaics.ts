import { z } from 'zod';
import type { Call } from '../call.ts';
import { limits } from '../constants.ts';
import { Id, Mosaic, MosaicLayout, Name, WatchedMosaic } from '../entities.ts';
import { Done, pageOf, pageQuery } from '../page.ts';
import { like } from '../example.ts';

const id = z.strictObject({ id: Id });
const mosaicErrors = ['AuthorizationRequired', 'Forbidden', 'NotFound'] as const;
const rotationSeconds = z.int().min(0).max(86_400).meta(like(20));

export const mosaicCalls = {
  listMosaics: {
    summary: 'Mosaics of the caller, and shared mosaics',
    who: 'user',
    query: z.strictObject({
      ...pageQuery,
      searchingValues: z.array(z.string().max(limits.nameMaxLength)).max(limits.searchValuesMax).default([]),
    }),
    reply: pageOf(Mosaic),
    errors: ['AuthorizationRequired'],
  },
  getMosaic: {
    summary: 'One mosaic; on request, keeps its on-demand sources connected',
    who: 'user',
    params: id,
    query: z.strictObject({ extend_lease: z.boolean().default(false) }),
    reply: WatchedMosaic,
    errors: mosaicErrors,
  },
  addMosaic: {
    summary: 'Creates a mosaic',
    who: 'user',
    body: z.strictObject({
      name: Name.meta(like('Gate')),
      layout: MosaicLayout,
      isShared: z.boolean().default(false),
      rotationSeconds: rotationSeconds.default(0),
    }),
    reply: WatchedMosaic,
    errors: ['AuthorizationRequired', 'Forbidden'],
  },
  saveMosaic: {
    summary:
      'Changes a mosaic; a cell whose stream the caller may not see keeps that stream as long as the cell is not moved',
    who: 'user',
    params: id,
    body: z.strictObject({
      ...WatchedMosaic.pick({ id: true, meta: true, createdBy: true, streams: true }).partial().shape,
      name: Name.optional().meta(like('Gate')),
      layout: MosaicLayout.optional(),
      isShared: z.boolean().optional(),
      rotationSeconds: rotationSeconds.optional(),
    }),
    reply: WatchedMosaic,
    errors: mosaicErrors,
  },
  watchWall: {
    summary:
      'Live video of many streams over one WebSocket; each stream is requested, and its access checked, separately',
    who: 'user',
    reply: { contentType: 'websocket' },
    errors: ['AuthorizationRequired'],
  },
  deleteMosaic: { summary: 'Deletes a mosaic', who: 'user', params: id, reply: Done, errors: mosaicErrors },
} as const satisfies Record<string, Call>;
