import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import type { User } from '@vidette/contract/entities';
import { limits } from '@vidette/contract/constants';
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { textOf } from '../../page/failures.ts';
import type { PaletteCommand } from './palette-commands.ts';
import { PaletteList } from './palette-list.tsx';
import classes from './palette.module.css';
import { usePaletteResults } from './palette-results.ts';

interface PaletteProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** Options that Page Up and Page Down move by. */
const pageLength = 8;

/**
 * Searches streams, mosaics, bookmarks, users, screens and actions from anywhere [R7.31]. A combobox with a
 * list of options below it: the focus stays in the field, arrows move the selection (ARIA Authoring Practices,
 * combobox).
 */
export function Palette({ user, onClose }: PaletteProps) {
  const i18n = useI18n();
  const dialog = useModalDialog(onClose);
  const [text, setText] = useState('');
  // By its id: later results may be inserted before it.
  const [chosen, setChosen] = useState<string>();
  const { groups, error, isSettled, fetchFirst } = usePaletteResults(user, text);
  const commands = groups.flatMap((group) => group.commands);
  const current = commands.find(({ id }) => id === chosen) ?? commands[0];

  useEffect(() => {
    if (current) document.getElementById(current.id)?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const run = (command: PaletteCommand | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  // Enter right after typing applies to the results of the new query, not to the old results.
  const enter = () =>
    void fetchFirst().then(
      (first) => dialog.current?.open && run(first),
      // Announced below the list, where the query is shown.
      () => undefined,
    );
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = movedIndex(event.key, current ? commands.indexOf(current) : 0, commands.length - 1);
    if (moved !== undefined) setChosen(commands[moved]?.id);
    else if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    else if (isSettled || (current && current.id === chosen)) run(current);
    else enter();
    event.preventDefault();
  };
  const onText = (typed: string) => {
    setText(typed);
    setChosen(undefined);
  };

  return (
    <dialog ref={dialog} className={classes.palette} aria-label={i18n.t('nav.search')} onClose={onClose}>
      <PaletteField text={text} current={current} onText={onText} onKeyDown={onKeyDown} />
      <PaletteList groups={groups} current={current} onPoint={({ id }) => setChosen(id)} onRun={run} />
      <output className={commands.length > 0 && !error ? 'visually-hidden' : classes.aside}>
        {error ? textOf(error, i18n) : isSettled && i18n.t('palette.count', { count: commands.length })}
      </output>
      <p className={classes.keys} aria-hidden="true">
        {i18n.t('palette.keys')}
      </p>
    </dialog>
  );
}

/**
 * The browser's own dialog, shown modally: it keeps the focus inside, closes on Escape and returns the focus. A
 * click around it calls `onClose` too.
 */
function useModalDialog(onClose: () => void): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    // The area around a dialog counts as the dialog itself.
    const onClick = ({ target }: MouseEvent) => target === element && onClose();
    element.addEventListener('click', onClick);
    element.showModal();
    return () => {
      element.removeEventListener('click', onClick);
      element.close();
    };
  }, [onClose]);
  return dialog;
}

/** The option that a key moves to from `index`; undefined for keys that do not move. */
function movedIndex(key: string, index: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return index >= last ? 0 : index + 1;
    case 'ArrowUp':
      return index <= 0 ? last : index - 1;
    case 'PageDown':
      return Math.min(index + pageLength, last);
    case 'PageUp':
      return Math.max(index - pageLength, 0);
    default:
      return undefined;
  }
}

interface PaletteFieldProps {
  readonly text: string;
  readonly current: PaletteCommand | undefined;
  readonly onText: (text: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function PaletteField({ text, current, onText, onKeyDown }: PaletteFieldProps) {
  const i18n = useI18n();
  return (
    <div className={classes.field}>
      <IconSearch size={18} stroke={1.6} aria-hidden="true" />
      <input
        type="text"
        role="combobox"
        className={classes.input}
        aria-label={i18n.t('nav.search')}
        aria-expanded={current !== undefined}
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={current?.id}
        autoComplete="off"
        spellCheck={false}
        maxLength={limits.nameMaxLength}
        placeholder={i18n.t('palette.placeholder')}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
