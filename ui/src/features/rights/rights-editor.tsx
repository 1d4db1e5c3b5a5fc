import { Button } from '@mantine/core';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useState, type ReactNode } from 'react';
import { ItemList } from '../../components/item-list.tsx';
import { Form, FormActions } from '../../components/form.tsx';
import { Pager } from '../../components/pager.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { SignButton } from '../../components/sign-button.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import {
  rightNames,
  sameRights,
  withRight,
  withRows,
  type RightName,
  type Rights,
  type RightsRow,
} from './rights.ts';
import classes from './rights.module.css';

const pageSize = 50;

const rightText: Record<RightName, MessageKey> = {
  view: 'rights.view',
  archive: 'rights.archive',
  share: 'rights.share',
  edit: 'rights.edit',
};

/** The lines of the list, for the field that adds and removes them. */
export interface RightsLinesPicker {
  readonly ids: ReadonlySet<string>;
  readonly add: (lines: readonly { readonly id: string; readonly name: string }[]) => void;
  readonly remove: (ids: readonly string[]) => void;
}

interface RightsEditorProps {
  /** The list as stored on the server. */
  readonly saved: readonly RightsRow[];
  readonly isSaving: boolean;
  /** The error of the list as a whole, as text. */
  readonly failure: string | null;
  /** Called with the whole list; the editor is recreated after a save. */
  readonly onSave: (rows: readonly RightsRow[]) => void;
  /** The field that adds and removes lines. */
  readonly picker: (lines: RightsLinesPicker) => ReactNode;
  /**
   * The rights that may be granted here; all of them if omitted. Rights already granted stay and may be
   * revoked.
   */
  readonly mayGive?: Rights;
  /** Shown while the list is empty. */
  readonly emptyText: string;
}

/** An editor for a list of rights: lines are added, changed and removed, then saved together. */
export function RightsEditor({
  saved,
  isSaving,
  failure,
  onSave,
  picker,
  mayGive,
  emptyText,
}: RightsEditorProps) {
  const i18n = useI18n();
  const [rows, setRows] = useState(saved);
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const wanted = search.trim().toLowerCase();
  const found = rows.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(wanted));
  const shown = found.slice((page - 1) * pageSize, page * pageSize);
  const isDirty = !sameRights(rows, saved);
  const set = (id: string, right: RightName, isGiven: boolean) =>
    setRows(
      rows.map((row) => (row.id === id ? { ...row, rights: withRight(row.rights, right, isGiven) } : row)),
    );
  const remove = (ids: readonly string[]) => {
    const removed = new Set(ids);
    setRows(rows.filter(({ id }) => !removed.has(id)));
  };
  return (
    <Form onSubmit={() => onSave(rows)} failure={failure}>
      {picker({
        ids: new Set(rows.map(({ id }) => id)),
        add: (lines) => {
          setRows(withRows(rows, lines));
          setSearch('');
          setPage(1);
        },
        remove,
      })}
      {rows.length > pageSize && (
        <SearchField
          label={i18n.t('rights.search')}
          value={search}
          onChange={(text) => {
            setSearch(text);
            setPage(1);
          }}
        />
      )}
      {rows.length === 0 && <p className={classes.empty}>{emptyText}</p>}
      <RightsLines rows={shown} mayGive={mayGive} onChange={set} onRemove={(id) => remove([id])} />
      <Pager page={page} pageSize={pageSize} total={found.length} onPage={setPage} />
      <FormActions>
        <Button type="submit" size="sm" loading={isSaving} disabled={!isDirty}>
          {i18n.t('action.save')}
        </Button>
      </FormActions>
      <UnsavedGuard isDirty={isDirty && !isSaving} />
    </Form>
  );
}

interface RightsLinesProps {
  readonly rows: readonly RightsRow[];
  readonly mayGive: Rights | undefined;
  readonly onChange: (id: string, right: RightName, isGiven: boolean) => void;
  readonly onRemove: (id: string) => void;
}

function RightsLines({ rows, mayGive, onChange, onRemove }: RightsLinesProps) {
  if (rows.length === 0) return null;
  return (
    <ItemList>
      {rows.map((row) => (
        <li key={row.id}>
          <RightsLine
            row={row}
            mayGive={mayGive}
            onChange={(right, isGiven) => onChange(row.id, right, isGiven)}
            onRemove={() => onRemove(row.id)}
          />
        </li>
      ))}
    </ItemList>
  );
}

interface RightsLineProps {
  readonly row: RightsRow;
  readonly mayGive: Rights | undefined;
  readonly onChange: (right: RightName, isGiven: boolean) => void;
  readonly onRemove: () => void;
}

function RightsLine({ row: { name, rights }, mayGive, onChange, onRemove }: RightsLineProps) {
  const i18n = useI18n();
  return (
    <fieldset className={classes.row}>
      <legend className={classes.name}>{name}</legend>
      <div className={classes.rights}>
        {rightNames.map((right) => (
          <label key={right} className={classes.right}>
            <input
              type="checkbox"
              checked={rights[right]}
              disabled={mayGive !== undefined && !mayGive[right] && !rights[right]}
              onChange={(event) => onChange(right, event.currentTarget.checked)}
            />
            {i18n.t(rightText[right])}
          </label>
        ))}
      </div>
      <SignButton icon={IconTrash} label={i18n.t('rights.remove', { name })} onClick={onRemove} />
    </fieldset>
  );
}
