import { ActionIcon, Menu } from '@mantine/core';
import IconColumns from '@tabler/icons-react/dist/esm/icons/IconColumns.mjs';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { columns, type Column } from './choices.ts';
import classes from './streams.module.css';

interface ColumnsMenuProps {
  readonly shown: readonly Column[];
  readonly onChange: (shown: readonly Column[]) => void;
}

/** Chooses the columns of the table; it stays open for several choices. */
export function ColumnsMenu({ shown, onChange }: ColumnsMenuProps) {
  const i18n = useI18n();
  const label = i18n.t('streams.columns');
  return (
    <Menu
      position="bottom-end"
      shadow="none"
      closeOnItemClick={false}
      // Between the menu and its items there may be nothing else.
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon size="md" variant="default" aria-label={label} title={label} className={classes.columns}>
          <IconColumns size={18} stroke={1.6} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map((column) => (
          <Menu.CheckboxItem
            key={column}
            checked={shown.includes(column)}
            onChange={(isShown) =>
              onChange(columns.filter((one) => (one === column ? isShown : shown.includes(one))))
            }
          >
            {i18n.t(`streams.column.${column}`)}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
