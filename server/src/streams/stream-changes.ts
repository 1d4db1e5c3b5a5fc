import type { z } from 'zod';
import type { StreamToSave } from '@vidette/contract/calls/streams';
import type { Stream } from '@vidette/contract/entities';
import { requireUnchanged } from '../base/unchanged.ts';
import { shownSource } from '../dial/address.ts';
import type { StreamRecord } from '../store/stream-row.ts';
import { changesBetween } from '../system/audit-changes.ts';
import { settingsShown } from './stream-settings.ts';

/** These may change on their own between reading and saving; `paused` is set by a user. */
const passingStatuses: ReadonlySet<string> = new Set(['pending', 'running', 'failed']);

/** Members that no client sets must be sent back as they were read. @throws Fault at the member */
export function requireFixedOfStream(body: z.output<typeof StreamToSave>, view: Stream): void {
  const fixed = [
    'uid',
    'id',
    'createdBy',
    'createdAt',
    'canEdit',
    'canArchive',
    'canShare',
    'isPublic',
  ] as const;
  requireUnchanged(body, view, fixed);
  if (body.node) requireUnchanged(body.node, view.node, ['id'], 'node.');
  const passes = (status: string) => passingStatuses.has(status);
  if (body.status === undefined || (passes(body.status) && passes(view.status))) return;
  requireUnchanged(body, view, ['status']);
}

/** Addresses as shown to users who may not edit the stream; if only a hidden part changed, just the fact. */
export function changesOfStream(before: StreamRecord, after: StreamRecord): object {
  const changes = changesBetween(settingsShown(before, shownSource), settingsShown(after, shownSource));
  for (const [path, member] of [
    ['streamSource', 'source'],
    ['subStreamSource', 'subSource'],
  ] as const) {
    if (before[member] !== after[member]) changes[path] ??= ['***', '***'];
  }
  return changes;
}
