import { NativeSelect, Switch } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import IconFileText from '@tabler/icons-react/dist/esm/icons/IconFileText.mjs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { LogLevel } from '@vidette/contract/entities';
import { useState } from 'react';
import { systemLogsQuery } from './system-logs-api.ts';
import { ListBar } from '../../../components/list-bar.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { LogLines } from '../../../components/log-lines.tsx';
import { PageState } from '../../../components/page-state.tsx';
import { SearchField } from '../../../components/search-field.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../../i18n/i18n.ts';

const levelText: Record<LogLevel, MessageKey> = {
  debug: 'serverLog.level.debug',
  info: 'serverLog.level.info',
  warn: 'serverLog.level.warn',
  error: 'serverLog.level.error',
};
const levels = Object.keys(levelText) as LogLevel[];
const typingMs = 200;

/** The server's log [R2.14], newest first, followed live or paused for reading. */
export function ServerDebugScreen() {
  const i18n = useI18n();
  const queryClient = useQueryClient();
  const [level, setLevel] = useState<LogLevel>('info');
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), typingMs);
  const [isFollowing, setFollowing] = useState(true);
  const logs = systemLogsQuery(queryClient, level, search);
  const query = useQuery(isFollowing ? logs : { ...logs, refetchInterval: false });
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
          data={levels.map((value) => ({ value, label: i18n.t(levelText[value]) }))}
        />
      </ListBar>
      <Loaded query={query} skeletonPx={320}>
        {(lines) =>
          lines.length === 0 ? (
            <PageState
              isInline
              icon={IconFileText}
              title={i18n.t('streams.nothing.title')}
              text={i18n.t('serverLog.nothing')}
            />
          ) : (
            <LogLines label={i18n.t('tab.serverDebug')} lines={lines} />
          )
        }
      </Loaded>
    </>
  );
}
