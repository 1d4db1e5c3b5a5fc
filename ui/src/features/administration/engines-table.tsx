import type { ReplyOf } from '@vidette/contract/client';
import { DataTable } from '../../components/data-table.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';

interface EnginesTableProps {
  readonly engines: ReplyOf<'getSystemStats'>['engines'];
}

/** The processes that receive and record, and what each of them needs. */
export function EnginesTable({ engines }: EnginesTableProps) {
  const i18n = useI18n();
  return (
    <DataTable
      label={i18n.t('stats.engines')}
      head={
        <>
          <th>{i18n.t('stats.engine')}</th>
          <th>{i18n.t('stats.streams')}</th>
          <th>{i18n.t('stats.engine.cpu')}</th>
          <th>{i18n.t('stats.memory')}</th>
          <th data-wide>{i18n.t('stats.eventLoopDelay')}</th>
          <th data-wide>{i18n.t('stats.engine.restarts')}</th>
        </>
      }
    >
      {engines.map(
        ({ index, isResponding, streams, cpuPercent, memoryBytes, eventLoopDelayMs, restarts }) => (
          <tr key={index}>
            <td>{i18n.t('stats.engine.name', { number: i18n.number(index) })}</td>
            <td>{i18n.number(streams)}</td>
            {isResponding ? (
              <>
                <td>{i18n.number(cpuPercent / 100, { style: 'percent', maximumFractionDigits: 1 })}</td>
                <td>{i18n.bytes(memoryBytes)}</td>
                <td data-wide>
                  {i18n.number(eventLoopDelayMs, {
                    style: 'unit',
                    unit: 'millisecond',
                    maximumFractionDigits: 0,
                  })}
                </td>
              </>
            ) : (
              <>
                <td colSpan={2}>{i18n.t('stats.engine.away')}</td>
                <td data-wide>–</td>
              </>
            )}
            <td data-wide>{i18n.number(restarts)}</td>
          </tr>
        ),
      )}
    </DataTable>
  );
}
