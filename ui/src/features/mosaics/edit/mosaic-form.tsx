import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { limits } from '@vidette/contract/constants';
import type { MosaicLayout } from '@vidette/contract/entities';
import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode, type RefObject } from 'react';
import { Form, FormActions } from '../../../components/form.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { MosaicEditor, type MosaicEditorView } from '../grid/mosaic-editor.ts';
import { EditorGrid } from './editor-grid.tsx';
import { EditorTools } from './editor-tools.tsx';
import classes from './mosaic-edit.module.css';
import { StreamPalette } from './stream-palette.tsx';
import { useDrag } from './use-drag.ts';

/** The saved properties of a mosaic. */
interface MosaicValues {
  readonly name: string;
  readonly layout: MosaicLayout;
  readonly isShared: boolean;
  readonly rotationSeconds: number;
}

interface MosaicFormProps {
  readonly initial: MosaicValues;
  /** Names of the streams already in it. */
  readonly streams: readonly { readonly uid: string; readonly name: string }[];
  readonly submitLabel: string;
  readonly isPending: boolean;
  /** Saves; resolves to true when the server has it. */
  readonly onSubmit: (values: MosaicValues, onSaved: () => void) => void;
  /** Next to the main action. */
  readonly actions?: ReactNode;
}

const rotations = [0, 5, 10, 15, 30, 60, 120, 300];

/** The mosaic editor: the streams to drag from, the grid, and below it the other properties. */
export function MosaicForm({ initial, streams, submitLabel, isPending, onSubmit, actions }: MosaicFormProps) {
  const [editor] = useState(() => new MosaicEditor(initial.layout));
  const view = useSyncExternalStore(editor.subscribe, editor.getView);
  const draft = useDraft(initial);
  const [isTried, setTried] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const nameField = useRef<HTMLInputElement>(null);
  useHistoryKeys(editor);
  const name = draft.name.trim();
  const submit = () => {
    setTried(true);
    if (name === '') {
      nameField.current?.focus();
      return;
    }
    const { isShared, rotationSeconds } = draft;
    onSubmit({ name, layout: view.layout, isShared, rotationSeconds }, () => {
      editor.noteSaved();
      setSaved(true);
    });
  };
  return (
    <Form onSubmit={submit}>
      <UnsavedGuard isDirty={(view.isChanged || draft.isChanged) && !isSaved} />
      <MosaicFields draft={draft} nameRef={nameField} isNameMissing={isTried && name === ''} />
      <EditorTools editor={editor} view={view} />
      <EditorDesk editor={editor} view={view} streams={streams} />
      <div className={classes.actions}>
        <FormActions>
          <Button type="submit" size="sm" loading={isPending}>
            {submitLabel}
          </Button>
          {actions}
        </FormActions>
      </div>
    </Form>
  );
}

/** The properties other than the layout, as edited. */
function useDraft(initial: MosaicValues) {
  const [name, setName] = useState(initial.name);
  const [isShared, setShared] = useState(initial.isShared);
  const [rotationSeconds, setRotation] = useState(initial.rotationSeconds);
  const isChanged =
    name !== initial.name || isShared !== initial.isShared || rotationSeconds !== initial.rotationSeconds;
  return { name, setName, isShared, setShared, rotationSeconds, setRotation, isChanged };
}

/** Undo and redo by keyboard, except in fields, which have their own. */
function useHistoryKeys(editor: MosaicEditor): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea');
      if (isTyping || !(event.ctrlKey || event.metaKey)) return;
      const key = event.key.toLowerCase();
      if (key === 'y' || (key === 'z' && event.shiftKey)) editor.redo();
      else if (key === 'z') editor.undo();
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [editor]);
}

interface MosaicFieldsProps {
  readonly draft: ReturnType<typeof useDraft>;
  readonly nameRef: RefObject<HTMLInputElement | null>;
  readonly isNameMissing: boolean;
}

function MosaicFields({ draft, nameRef, isNameMissing }: MosaicFieldsProps) {
  const i18n = useI18n();
  const choices = rotations.includes(draft.rotationSeconds)
    ? rotations
    : [...rotations, draft.rotationSeconds];
  return (
    <div className={classes.fields}>
      <TextInput
        ref={nameRef}
        size="sm"
        label={i18n.t('mosaicEdit.name')}
        maxLength={limits.nameMaxLength}
        value={draft.name}
        error={isNameMissing ? i18n.t('mosaicEdit.name.missing') : null}
        onChange={(event) => draft.setName(event.currentTarget.value)}
      />
      <NativeSelect
        size="sm"
        label={i18n.t('mosaicEdit.rotation')}
        value={draft.rotationSeconds}
        onChange={(event) => draft.setRotation(Number(event.currentTarget.value))}
        data={choices.map((count) => ({
          value: String(count),
          label:
            count === 0
              ? i18n.t('mosaicEdit.rotation.never')
              : i18n.t('mosaicEdit.rotation.seconds', { count }),
        }))}
      />
      <Checkbox
        className={classes.shared}
        label={i18n.t('mosaicEdit.shared')}
        description={i18n.t('mosaicEdit.shared.help')}
        checked={draft.isShared}
        onChange={(event) => draft.setShared(event.currentTarget.checked)}
      />
    </div>
  );
}

interface EditorDeskProps extends Pick<MosaicFormProps, 'streams'> {
  readonly editor: MosaicEditor;
  readonly view: MosaicEditorView;
}

/** The grid, the streams beside it, and what is dragged from one to the other. */
function EditorDesk({ editor, view, streams }: EditorDeskProps) {
  const [names, setNames] = useState(() => new Map(streams.map((stream) => [stream.uid, stream.name])));
  const grid = useRef<HTMLDivElement>(null);
  const { drag, begin } = useDrag(editor, grid);
  const learn = (uid: string, streamName: string) => setNames((known) => new Map(known).set(uid, streamName));
  const used = new Set(view.layout.cells.flatMap(({ stream }) => stream ?? []));
  return (
    <>
      <div className={classes.desk}>
        <div className={classes.board}>
          <EditorGrid
            editor={editor}
            view={view}
            gridRef={grid}
            nameOf={(uid) => names.get(uid)}
            drag={drag}
            onGrab={begin}
          />
        </div>
        <StreamPalette
          used={used}
          onPick={(uid, streamName) => {
            learn(uid, streamName);
            editor.show(uid);
          }}
          onGrab={(event, what) => {
            if (what.kind === 'stream') learn(what.uid, what.name);
            begin(event, what);
          }}
        />
      </div>
      {drag && drag.what.kind !== 'corner' && (
        <div className={classes.ghost} style={{ left: drag.clientX, top: drag.clientY }} aria-hidden="true">
          {drag.what.name}
        </div>
      )}
    </>
  );
}
