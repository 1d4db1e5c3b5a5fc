import { Button, Popover } from '@mantine/core';
import IconArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs';
import IconArrowForwardUp from '@tabler/icons-react/dist/esm/icons/IconArrowForwardUp.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconQuestionMark from '@tabler/icons-react/dist/esm/icons/IconQuestionMark.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { limits } from '@vidette/contract/constants';
import { useEffect, useState } from 'react';
import { SignButton } from '../../../components/sign-button.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { MosaicEditor, MosaicEditorView } from '../grid/mosaic-editor.ts';
import { fineGrid, presetNames, presets, type PresetName } from '../grid/presets.ts';
import classes from './mosaic-edit.module.css';

interface EditorToolsProps {
  readonly editor: MosaicEditor;
  readonly view: MosaicEditorView;
}

/** The tools above the grid: divisions of the page, undo and redo, and the pages. */
export function EditorTools({ editor, view }: EditorToolsProps) {
  return (
    <div className={classes.tools}>
      <PresetButtons editor={editor} />
      <HistoryButtons editor={editor} view={view} />
      <PageButtons editor={editor} view={view} />
    </div>
  );
}

function PresetButtons({ editor }: Pick<EditorToolsProps, 'editor'>) {
  const i18n = useI18n();
  return (
    <div role="group" aria-label={i18n.t('mosaicEdit.presets')} className={classes.toolGroup}>
      {presetNames.map((name) => (
        <button
          key={name}
          type="button"
          className={classes.preset}
          aria-label={i18n.t('mosaicEdit.preset', { name })}
          title={i18n.t('mosaicEdit.preset', { name })}
          onClick={() => editor.divide(name)}
        >
          <PresetSketch name={name} />
          <span aria-hidden="true">{name}</span>
        </button>
      ))}
    </div>
  );
}

function HistoryButtons({ editor, view: { canUndo, canRedo } }: EditorToolsProps) {
  const i18n = useI18n();
  return (
    <div className={classes.toolGroup}>
      <SignButton
        icon={IconArrowBackUp}
        label={i18n.t('mosaicEdit.undo')}
        isDisabled={!canUndo}
        onClick={() => editor.undo()}
      />
      <SignButton
        icon={IconArrowForwardUp}
        label={i18n.t('mosaicEdit.redo')}
        isDisabled={!canRedo}
        onClick={() => editor.redo()}
      />
      <KeysButton />
    </div>
  );
}

/** The keyboard rules of the grid; the key `?` opens and closes them too. */
function KeysButton() {
  const i18n = useI18n();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = ({ key, target }: KeyboardEvent) => {
      const isTyping = target instanceof Element && target.closest('input, textarea, select');
      if (key === 'Escape') setOpen(false);
      else if (key === '?' && !isTyping) setOpen((was) => !was);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom" withinPortal={false}>
      <Popover.Target>
        <SignButton
          icon={IconQuestionMark}
          label={i18n.t('mosaicEdit.keys.show')}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </Popover.Target>
      <Popover.Dropdown>
        <p className={classes.keys}>{i18n.t('mosaicEdit.keys')}</p>
      </Popover.Dropdown>
    </Popover>
  );
}

function PageButtons({ editor, view: { page, pages } }: EditorToolsProps) {
  const i18n = useI18n();
  return (
    <div role="group" aria-label={i18n.t('mosaicEdit.pages')} className={classes.toolGroup}>
      {Array.from({ length: pages }, (_, at) => (
        <Button
          key={at}
          size="sm"
          variant={at === page ? 'light' : 'default'}
          aria-pressed={at === page}
          aria-label={i18n.t('mosaicEdit.page', { page: at + 1 })}
          onClick={() => editor.turnTo(at)}
        >
          {i18n.number(at + 1)}
        </Button>
      ))}
      <SignButton
        icon={IconPlus}
        label={i18n.t('mosaicEdit.page.add')}
        isDisabled={pages >= limits.mosaicPagesMax}
        onClick={() => editor.addPage('4')}
      />
      <SignButton
        icon={IconTrash}
        label={i18n.t('mosaicEdit.page.remove')}
        isDisabled={pages === 1}
        onClick={() => editor.removePage()}
      />
    </div>
  );
}

function PresetSketch({ name }: { name: PresetName }) {
  return (
    <svg viewBox={`0 0 ${fineGrid} ${fineGrid}`} preserveAspectRatio="none" aria-hidden="true">
      {presets[name].map(({ x, y, width, height }) => (
        <rect key={`${x} ${y}`} x={x} y={y} width={width} height={height} vectorEffect="non-scaling-stroke" />
      ))}
    </svg>
  );
}
