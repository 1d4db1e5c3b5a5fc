import { limits } from '@vidette/contract/constants';
import { useMemo, useState } from 'react';
import { useSettings } from '../../api/session.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { notifySuccess } from '../../page/notify.ts';
import { Zone } from '../../timeline/zone.ts';
import { useAddExport } from '../exports/exports-api.ts';
import { wayOf } from '../stream-view/save/span.ts';
import { useFootageDownload, type DownloadState } from '../stream-view/save/use-footage-download.ts';
import { firstOf, type EventGroup } from './event-groups.ts';

/** One export at a time, which continues while other events are watched. */
export interface EventExport {
  readonly state: DownloadState;
  /** Id of the entry whose export it is. */
  readonly id: number | undefined;
  readonly isRunning: boolean;
  readonly begin: () => void;
}

/** Exported before and after the event. */
const AROUND_MS = 10_000;

/** Downloads the event with ten seconds around it as one file; one that is too long for that becomes a package. */
export function useEventExport(group: EventGroup | undefined): EventExport {
  const i18n = useI18n();
  const { archiveDownloadMaxSeconds } = useSettings();
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const entry = group && firstOf(group);
  const uid = entry?.stream ?? '';
  const { state, begin: download } = useFootageDownload(uid, zone);
  const { mutate, isPending } = useAddExport();
  const [id, setId] = useState<number>();
  const isRunning = state.name === 'running' || isPending;
  const { startMs = 0, endMs = 0 } = group ?? {};
  const name = entry?.streamName ?? '';
  const begin = () => {
    if (!entry || uid === '' || isRunning) return;
    setId(entry.id);
    const span = { startMs: startMs - AROUND_MS, endMs: Math.min(Date.now(), endMs + AROUND_MS) };
    if (wayOf(span, 0, archiveDownloadMaxSeconds * 1000) === 'download') void download(span);
    else
      mutate(
        {
          streams: [uid],
          startTime: Math.floor(span.startMs),
          endTime: Math.ceil(span.endMs),
          name: name.slice(0, limits.nameMaxLength),
        },
        { onSuccess: () => notifySuccess(i18n.t('save.queued')) },
      );
  };
  return { state, id, isRunning, begin };
}
