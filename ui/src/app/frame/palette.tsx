import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { User } from '@vidette/contract/entities';
import { limits } from '@vidette/contract/constants';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { searchQuery } from './search-api.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { textOf } from '../../page/failures.ts';
import { ownCommands, thingCommands, type PaletteCommand, type CommandGroup } from './palette-commands.ts';
import classes from './palette.module.css';
import { loadRecent } from './palette-recent.ts';
import { useCommandActions } from './use-command-actions.ts';

interface PaletteProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** Typing counts as finished after this pause. */
const typingMs = 120;

/**
 * Searches streams, mosaics, bookmarks, users, screens and actions from anywhere [R7.31]. A combobox with a
 * list of options below it: the focus stays in the field, arrows move the selection (ARIA Authoring Practices,
 * combobox).
 */
export function Palette({ user, onClose }: PaletteProps) {
  const i18n = useI18n();
  const queryClient = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  // By its id: later results may be inserted before it.
  const [chosen, setChosen] = useState<string>();
  const [recent] = useState(() => loadRecent(localStorage, user.name));
  const words = text.trim();
  const [asked] = useDebouncedValue(words, typingMs);
  const { data, error, isFetching } = useQuery(searchQuery(words === '' ? '' : asked));
  const actions = useCommandActions(user);

  // The browser's own dialog keeps the focus inside, closes on Escape and gives the focus back to where it was.
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

  const things: CommandGroup =
    words === ''
      ? { name: 'palette.recent', commands: thingCommands('recent', recent, i18n, actions) }
      : { name: 'palette.found', commands: thingCommands('found', data?.items ?? [], i18n, actions) };
  const groups = [things, ...ownCommands(words, user, i18n, actions)].filter(
    ({ commands }) => commands.length > 0,
  );
  const commands = groups.flatMap((group) => group.commands);
  const current = commands.find(({ id }) => id === chosen) ?? commands[0];
  const isSettled = words === asked && !isFetching;

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
    void queryClient.fetchQuery(searchQuery(words)).then(
      ({ items }) => {
        if (!dialog.current?.open) return;
        const own = ownCommands(words, user, i18n, actions).flatMap((group) => group.commands);
        run([...thingCommands('found', items, i18n, actions), ...own][0]);
      },
      // Announced below the list, where the query is shown.
      () => undefined,
    );
  const onKeyDown = (event: KeyboardEvent) => {
    const at = current ? commands.indexOf(current) : 0;
    const last = commands.length - 1;
    const choose = (index: number) => setChosen(commands[index]?.id);
    if (event.key === 'ArrowDown') choose(at >= last ? 0 : at + 1);
    else if (event.key === 'ArrowUp') choose(at <= 0 ? last : at - 1);
    else if (event.key === 'PageDown') choose(Math.min(at + 8, last));
    else if (event.key === 'PageUp') choose(Math.max(at - 8, 0));
    else if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    else if (isSettled || (current && current.id === chosen)) run(current);
    else enter();
    event.preventDefault();
  };

  return (
    <dialog ref={dialog} className={classes.palette} aria-label={i18n.t('nav.search')} onClose={onClose}>
      <div className={classes.field}>
        <IconSearch size={18} stroke={1.6} aria-hidden="true" />
        <input
          type="text"
          role="combobox"
          className={classes.input}
          aria-label={i18n.t('nav.search')}
          aria-expanded={commands.length > 0}
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-activedescendant={current?.id}
          autoComplete="off"
          spellCheck={false}
          maxLength={limits.nameMaxLength}
          placeholder={i18n.t('palette.placeholder')}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setChosen(undefined);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
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
                onPointerMove={() => setChosen(command.id)}
                onClick={() => run(command)}
              >
                <span className={classes.label}>{command.label}</span>
                <span className={classes.note}>{command.note}</span>
              </button>
            ))}
          </div>
        ))}
      </div>
      <output className={commands.length > 0 && !error ? 'visually-hidden' : classes.aside}>
        {error ? textOf(error, i18n) : isSettled && i18n.t('palette.count', { count: commands.length })}
      </output>
      <p className={classes.keys} aria-hidden="true">
        {i18n.t('palette.keys')}
      </p>
    </dialog>
  );
}
