import { ActionIcon, Button, CloseButton, NativeSelect, TextInput } from '@mantine/core';
import IconChecks from '@tabler/icons-react/dist/esm/icons/IconChecks.mjs';
import IconLayoutGrid from '@tabler/icons-react/dist/esm/icons/IconLayoutGrid.mjs';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import IconTable from '@tabler/icons-react/dist/esm/icons/IconTable.mjs';
import IconTags from '@tabler/icons-react/dist/esm/icons/IconTags.mjs';
import type { Icon } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { Tip } from '../../../components/tip.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { I18n } from '../../../i18n/i18n.ts';
import { columns, sortTypeOf, sortTypes, type SortType, type StreamsChoices } from './choices.ts';
import classes from './streams.module.css';
import { lazyPart } from '../../../page/lazy-part.ts';

const ColumnsMenu = lazyPart(() => import('./columns-menu.tsx').then((module) => module.ColumnsMenu));

interface ChoiceProps {
  readonly choices: StreamsChoices;
  readonly onChange: (changes: Partial<StreamsChoices>) => void;
}

interface StreamsHeaderProps extends ChoiceProps {
  /**
   * The number of streams; undefined where groups have their own counts, because a stream with two tags counts
   * twice.
   */
  readonly total: number | undefined;
  /** Whether streams are being selected, and how to start or end that; null without streams. */
  readonly picking: { readonly isOn: boolean; readonly begin: () => void; readonly end: () => void } | null;
}

/**
 * The list's settings: search, only available, order, groups, grid or table [R2.26]. On a phone they would leave little
 * of the screen to the list: a button opens them.
 */
export function StreamsHeader({ choices, total, onChange, picking }: StreamsHeaderProps) {
  const i18n = useI18n();
  const [isOpen, setOpen] = useState(choices.search !== '' || choices.onlyAvailable);
  return (
    <div className={classes.header} data-open={isOpen}>
      <h1 className={classes.title}>{i18n.t('title.streams')}</h1>
      <output className={classes.count}>
        {total !== undefined && (
          <>
            <span aria-hidden="true">{i18n.number(total)}</span>
            <span className="visually-hidden">{i18n.t('streams.count', { count: total })}</span>
          </>
        )}
      </output>
      <ActionIcon
        className={classes.opener}
        size="md"
        variant={isOpen ? 'light' : 'default'}
        aria-label={i18n.t('streams.settings')}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <IconSearch size={18} stroke={1.6} aria-hidden="true" />
      </ActionIcon>
      <div className={classes.settings}>
        <SearchBox choices={choices} onChange={onChange} />
        <Button
          size="sm"
          variant={choices.onlyAvailable ? 'light' : 'default'}
          aria-pressed={choices.onlyAvailable}
          onClick={() => onChange({ onlyAvailable: !choices.onlyAvailable })}
        >
          {i18n.t('streams.onlyAvailable')}
        </Button>
        <SortSelect choices={choices} onChange={onChange} />
        <ListWays choices={choices} onChange={onChange} picking={picking} />
      </div>
      <ViewToggles choices={choices} onChange={onChange} />
    </div>
  );
}

/** Groups, selection and the columns of the table. */
function ListWays({ choices, onChange, picking }: ChoiceProps & Pick<StreamsHeaderProps, 'picking'>) {
  const i18n = useI18n();
  return (
    <div className={classes.ways}>
      <Toggle
        icon={IconTags}
        label={i18n.t('streams.groupByTag')}
        isOn={choices.isGrouped}
        onClick={() => onChange({ isGrouped: !choices.isGrouped })}
      />
      {picking && (
        <Toggle
          icon={IconChecks}
          label={i18n.t('streams.pick.begin')}
          isOn={picking.isOn}
          onClick={picking.isOn ? picking.end : picking.begin}
        />
      )}
      {choices.view === 'table' && (
        <Suspense>
          <ColumnsMenu shown={choices.columns} onChange={(columns) => onChange({ columns })} />
        </Suspense>
      )}
    </div>
  );
}

function SearchBox({ choices, onChange }: ChoiceProps) {
  const i18n = useI18n();
  return (
    <TextInput
      className={classes.search}
      size="sm"
      type="search"
      placeholder={i18n.t('streams.search')}
      aria-label={i18n.t('streams.search')}
      leftSection={<IconSearch size={16} aria-hidden="true" />}
      rightSection={
        choices.search !== '' && (
          <CloseButton
            size="sm"
            aria-label={i18n.t('streams.search.clear')}
            onClick={() => onChange({ search: '' })}
          />
        )
      }
      value={choices.search}
      onChange={(event) => onChange({ search: event.currentTarget.value })}
    />
  );
}

function SortSelect({ choices, onChange }: ChoiceProps) {
  const i18n = useI18n();
  return (
    <NativeSelect
      className={classes.sort}
      size="sm"
      aria-label={i18n.t('streams.sort')}
      value={choices.sortType}
      onChange={(event) => {
        const sortType = sortTypeOf(event.currentTarget.value);
        if (sortType) onChange({ sortType });
      }}
      data={[
        ...sortTypes.map((value) => ({ value, label: i18n.t(`streams.sort.${value}`) })),
        ...columnOrder(choices.sortType, i18n),
      ]}
    />
  );
}

/** The present order, where only a heading of the table offers it. */
function columnOrder(sortType: SortType, i18n: I18n) {
  const column = columns.find((one) => sortType.replace('-', '') === one);
  if (column === undefined || sortTypes.some((one) => one === sortType)) return [];
  const text = sortType === column ? 'streams.sort.ascending' : 'streams.sort.descending';
  return [{ value: sortType, label: i18n.t(text, { column: i18n.t(`streams.column.${column}`) }) }];
}

function ViewToggles({ choices, onChange }: ChoiceProps) {
  const i18n = useI18n();
  return (
    <div className={classes.toggles}>
      <Toggle
        icon={IconLayoutGrid}
        label={i18n.t('streams.view.grid')}
        isOn={choices.view === 'grid'}
        onClick={() => onChange({ view: 'grid' })}
      />
      <Toggle
        icon={IconTable}
        label={i18n.t('streams.view.table')}
        isOn={choices.view === 'table'}
        onClick={() => onChange({ view: 'table' })}
      />
    </div>
  );
}

interface ToggleProps {
  readonly icon: Icon;
  readonly label: string;
  readonly isOn: boolean;
  readonly onClick: () => void;
}

function Toggle({ icon: Icon, label, isOn, onClick }: ToggleProps) {
  return (
    <Tip align="end" label={label}>
      <ActionIcon
        size="md"
        variant={isOn ? 'light' : 'default'}
        aria-label={label}
        aria-pressed={isOn}
        onClick={onClick}
      >
        <Icon size={18} stroke={1.6} aria-hidden="true" />
      </ActionIcon>
    </Tip>
  );
}
