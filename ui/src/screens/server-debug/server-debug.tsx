import { NativeSelect, Skeleton, Switch } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import IconFileText from '@tabler/icons-react/dist/esm/icons/IconFileText.mjs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import type { LogLevel } from '@vidette/contract/entities';
import { useState } from 'react';
import { systemLogsQuery } from '../../api/records.ts';
import { wordsOf } from '../../app/failures.ts';
import { Delayed } from '../../components/delayed.tsx';
import { FailedState } from '../../components/failed-state.tsx';
import { ListBar } from '../../components/list-bar.tsx';
import { PageState } from '../../components/page-state.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import classes from './server-debug.module.css';

const levelWords: Record<LogLevel, MessageKey> = {
  debug: 'serverLog.level.debug',
  info: 'serverLog.level.info',
  warn: 'serverLog.level.warn',
  error: 'serverLog.level.error',
};
const levels = Object.keys(levelWords) as LogLevel[];
const typingMs = 200;

/** The server's log [R2.14], newest first, as it comes or held still for reading. */
export function ServerDebugScreen() {
  const i18n = useI18n();
  const queryClient = useQueryClient();
  const [level, setLevel] = useState<LogLevel>('info');
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), typingMs);
  const [isFollowing, setFollowing] = useState(true);
  const logs = systemLogsQuery(queryClient, level, search);
  const { data, error, refetch } = useQuery(isFollowing ? logs : { ...logs, refetchInterval: false });
  return (
    <>
      <ListBar
        end={
          <Switch
            label={i18n.t('serverLog.follow')}
            checked={isFollowing}
            onChange={(event) => setFollowing(event.currentTarget.checked)}
          />
        }
      >
        <SearchField label={i18n.t('serverLog.search')} value={typed} onChange={setTyped} />
        <NativeSelect
          size="sm"
          aria-label={i18n.t('serverLog.level')}
          value={level}
          onChange={(event) => setLevel(levels.find((one) => one === event.currentTarget.value) ?? 'info')}
          data={levels.map((value) => ({ value, label: i18n.t(levelWords[value]) }))}
        />
      </ListBar>
      {!data && error && <FailedState text={wordsOf(error, i18n)} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Delayed>
          <Skeleton height={320} radius={10} />
        </Delayed>
      )}
      {data?.length === 0 && (
        <PageState
          isInline
          icon={IconFileText}
          title={i18n.t('streams.nothing.title')}
          text={i18n.t('serverLog.nothing')}
        />
      )}
      {data && data.length > 0 && (
        <ol className={classes.log} aria-label={i18n.t('tab.serverDebug')}>
          {data.toReversed().map((line) => (
            <Line key={line.id} line={line} />
          ))}
        </ol>
      )}
    </>
  );
}

function Line({ line }: { line: ReplyOf<'getSystemLogs'>['items'][number] }) {
  const i18n = useI18n();
  return (
    <li>
      <time dateTime={new Date(line.time).toISOString()}>{i18n.dateTime(line.time)}</time>
      <span className={classes.level} data-level={line.level}>
        {line.level}
      </span>
      <span className={classes.message}>
        {line.message}
        {Object.entries(line.fields).map(([name, value]) => (
          <Field key={name} name={name} value={value} />
        ))}
      </span>
    </li>
  );
}

/** Longest value that stands in the line itself, characters; an error's trace is opened by whoever wants it. */
const shortMax = 80;

function Field({ name, value }: { name: string; value: unknown }) {
  const text = `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  if (text.length <= shortMax) return <span className={classes.field}>{text}</span>;
  return (
    <details className={classes.long}>
      <summary>{text.slice(0, shortMax)}…</summary>
      {text.slice(shortMax)}
    </details>
  );
}
