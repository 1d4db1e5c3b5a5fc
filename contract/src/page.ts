import { z } from 'zod';
import { limits } from './constants.ts';
import { like } from './example.ts';

/** Query of every list, from page 1. */
export const pageQuery = {
  page: z.int().min(1).max(limits.pageMax).default(1),
  pageSize: z.int().min(1).max(limits.pageSizeMax).default(limits.pageSizeDefault),
};

/** Response of every list: one page of items and the total count. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), total: z.int(), page: z.int(), pageSize: z.int().meta(like(100)) });
}

/** Response of calls that return no data. */
export const Done = z.object({});
