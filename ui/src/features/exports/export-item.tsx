import { Button, Progress } from '@mantine/core';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { limits } from '@vidette/contract/constants';
import type { Export } from '@vidette/contract/entities';
import { addressOf } from '@vidette/contract/routes';
import { isUnderWay, useDeleteExport, useRetryExport } from './exports-api.ts';
import { notifyDone } from '../../page/notify.ts';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import classes from './exports.module.css';

const failureKeys: Readonly<Record<NonNullable<Export['failure']>, MessageKey>> = {
  'disk-full': 'exports.failure.disk-full',
  forbidden: 'exports.failure.forbidden',
  'nothing-recorded': 'exports.failure.nothing-recorded',
  'no-ffmpeg': 'exports.failure.no-ffmpeg',
  broken: 'exports.failure.broken',
};

/** Of a digest nothing is kept. */
const digestFailureKeys: typeof failureKeys = {
  ...failureKeys,
  'disk-full': 'exports.digest.disk-full',
  broken: 'exports.digest.broken',
};

/** One package: its contents, its progress, and its actions. */
export function ExportItem({ item }: { item: Export }) {
  const name = item.name || `${item.id}`;
  return (
    <li className={classes.item}>
      <ExportSummary item={item} name={name} />
      <ExportActions item={item} name={name} />
    </li>
  );
}

interface ExportPartProps {
  readonly item: Export;
  readonly name: string;
}

function ExportSummary({ item, name }: ExportPartProps) {
  const i18n = useI18n();
  return (
    <div className={classes.text}>
      <div className={classes.name}>{name}</div>
      <div className={classes.time}>
        {i18n.t('exports.span', {
          from: i18n.dateTime(item.startTime),
          to: i18n.dateTime(item.endTime),
        })}
        {'\u00a0· '}
        <span className={classes.streamCount}>
          {i18n.t('exports.streams', { count: item.streams.length })}
        </span>
      </div>
      <div className={classes.status} data-status={item.status} role="status">
        {statusText(item, i18n)}
      </div>
      {item.status === 'running' && (
        <Progress className={classes.progress} value={item.share * 100} aria-label={name} />
      )}
      {item.status === 'ready' && <ExportedStreams item={item} />}
    </div>
  );
}

/** What of each stream is in the file; a digest may have hundreds. */
function ExportedStreams({ item: { kind, streams } }: { item: Export }) {
  const i18n = useI18n();
  const list = (
    <ul className={classes.streams}>
      {streams.map((stream) => (
        <li key={stream.uid}>
          {i18n.t(kind === 'digest' ? 'exports.stream.digest' : 'exports.stream', {
            clips: i18n.t('digest.clips', { count: stream.files }),
            name: stream.name,
            duration: i18n.duration(stream.durationMs),
            gap: i18n.duration(stream.gapMs),
          })}
        </li>
      ))}
    </ul>
  );
  if (streams.length <= limits.exportStreamsMax) return list;
  return (
    <details>
      <summary className={classes.fold}>{i18n.t('exports.streams', { count: streams.length })}</summary>
      {list}
    </details>
  );
}

function ExportActions({ item, name }: ExportPartProps) {
  const i18n = useI18n();
  const retry = useRetryExport(item.id);
  const remove = useDeleteExport(item.id);
  return (
    <div className={classes.actions}>
      {item.status === 'ready' && (
        <Button component="a" size="sm" href={addressOf('downloadExport', { id: item.id })} download>
          {i18n.t(item.kind === 'digest' ? 'exports.download.digest' : 'exports.download', {
            size: i18n.bytes(item.bytes),
          })}
        </Button>
      )}
      {item.status === 'failed' && (
        <Button size="sm" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
          {i18n.t(item.kind === 'digest' ? 'exports.retry.digest' : 'exports.retry')}
        </Button>
      )}
      <SignButton
        icon={IconTrash}
        label={i18n.t(isUnderWay(item) ? 'save.cancel' : 'exports.delete', { name })}
        isDisabled={remove.isPending}
        onClick={() => notifyDone(remove.mutateAsync(undefined), i18n.t('exports.deleted'))}
      />
    </div>
  );
}

function statusText(item: Export, i18n: I18n): string {
  if (item.isHeld) return i18n.t('exports.status.held');
  switch (item.status) {
    case 'queued':
      return i18n.t('exports.status.queued');
    case 'running':
      if (item.kind === 'digest')
        return i18n.t('exports.status.rendering', { share: i18n.number(Math.floor(item.share * 100)) });
      return i18n.t('exports.status.running', {
        done: i18n.bytes(item.bytes),
        total: i18n.bytes(item.expectedBytes),
      });
    case 'ready':
      return item.expiresAt === null
        ? ''
        : i18n.t('exports.status.ready', { time: i18n.dateTime(item.expiresAt) });
    case 'failed':
      return i18n.t((item.kind === 'digest' ? digestFailureKeys : failureKeys)[item.failure ?? 'broken']);
  }
}
