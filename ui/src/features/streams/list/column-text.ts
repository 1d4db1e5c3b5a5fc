import type { MessageKey } from '../../../i18n/i18n.ts';
import type { Column } from './choices.ts';

/** The headings of the columns. */
export const columnText: Readonly<Record<Column, MessageKey>> = {
  status: 'streams.column.status',
  share: 'streams.column.share',
  oldest: 'streams.column.oldest',
  bitrate: 'streams.column.bitrate',
  viewers: 'streams.column.viewers',
  depth: 'streams.column.archive',
  tags: 'streams.column.tags',
  location: 'streams.column.location',
};
