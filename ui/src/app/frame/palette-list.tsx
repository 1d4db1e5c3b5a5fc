import { useI18n } from '../../i18n/i18n-context.tsx';
import type { CommandGroup, PaletteCommand } from './palette-commands.ts';
import classes from './palette.module.css';

interface PaletteListProps {
  readonly groups: readonly CommandGroup[];
  readonly current: PaletteCommand | undefined;
  readonly onPoint: (command: PaletteCommand) => void;
  readonly onRun: (command: PaletteCommand) => void;
}

/** The options of the palette's combobox, by group. */
export function PaletteList({ groups, current, onPoint, onRun }: PaletteListProps) {
  const i18n = useI18n();
  return (
    <div id="palette-list" role="listbox" aria-label={i18n.t('palette.list')} className={classes.list}>
      {groups.map((group) => (
        <div key={group.name} role="group" aria-labelledby={`palette-${group.name}`}>
          <div id={`palette-${group.name}`} className={classes.groupName}>
            {i18n.t(group.name)}
          </div>
          {group.commands.map((command) => (
            <button
              key={command.id}
              type="button"
              id={command.id}
              role="option"
              tabIndex={-1}
              aria-selected={command === current}
              className={classes.option}
              onPointerMove={() => onPoint(command)}
              onClick={() => onRun(command)}
            >
              <span className={classes.label}>{command.label}</span>
              <span className={classes.note}>{command.note}</span>
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}
