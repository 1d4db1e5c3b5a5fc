import { TextInput } from '@mantine/core';
import { useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { MomentFormat, type MomentUnit } from '../moment-format.ts';
import { parseMoment } from '../moment-input.ts';
import type { Zone } from '../zone.ts';
import classes from './moment-field.module.css';

/** What a field contains after the user has finished typing: a moment (ms since the epoch), nothing, or no moment. */
export type MomentEntry = number | 'empty' | 'unreadable';

interface MomentFieldProps {
  readonly label: string;
  /** ms since the epoch; undefined for an empty field. */
  readonly ms: number | undefined;
  readonly zone: Zone;
  readonly error?: string | undefined;
  /** Whether it may be empty. */
  readonly isOptional?: boolean;
  readonly onEntry: (entry: MomentEntry) => void;
}

/**
 * A date and time in the profile's format, as text: typed in any usual way ("13:05" alone is enough), pasted, or stepped
 * with the arrow keys at the caret, ten at a time with Shift. It is read when the field loses the focus or Enter is
 * pressed, because half of a typed date is another date.
 */
export function MomentField({ label, ms, zone, error, isOptional = false, onEntry }: MomentFieldProps) {
  const i18n = useI18n();
  const format = useMemo(() => new MomentFormat(i18n.language, zone), [i18n.language, zone]);
  const [input, selectAfter] = useUnitSelection(format, ms);
  const entry = useMomentEntry({ ms, zone, format, isOptional, onEntry, selectAfter });
  const zoneText = format.zoneName(entry.referenceMs);
  const example = format.write(entry.referenceMs);
  return (
    <>
      <TextInput
        ref={input}
        size="sm"
        label={label}
        value={entry.text}
        error={entry.isRefused ? i18n.t('moment.unreadable', { example }) : error}
        autoComplete="off"
        spellCheck={false}
        aria-description={`${i18n.t('moment.keys')} ${zone.name}`}
        rightSection={
          <span className={classes.zone} title={zone.name} aria-hidden="true">
            {zoneText}
          </span>
        }
        rightSectionWidth={`calc(${zoneText.length}ch + 12px)`}
        onChange={(event) => entry.type(event.currentTarget.value)}
        onBlur={entry.commit}
        onKeyDown={entry.onKeyDown}
      />
      <span className="visually-hidden" aria-live="polite">
        {entry.stepped}
      </span>
    </>
  );
}

/** A text that has not been read yet, or could not be, and the moment that it was typed over. */
interface Draft {
  readonly text: string;
  readonly overMs: number | undefined;
  readonly isRefused: boolean;
}

interface MomentEntryOptions extends Pick<MomentFieldProps, 'ms' | 'zone' | 'onEntry'> {
  readonly format: MomentFormat;
  readonly isOptional: boolean;
  /** Selects a unit once the new moment is shown. */
  readonly selectAfter: (unit: MomentUnit) => void;
}

function useMomentEntry({ ms, zone, format, isOptional, onEntry, selectAfter }: MomentEntryOptions) {
  const [openedMs] = useState(() => Date.now());
  const [stored, setDraft] = useState<Draft>();
  const [stepped, setStepped] = useState('');
  // A moment that was set elsewhere, such as on the timeline, replaces a text that had not been read.
  const draft = stored && (ms === undefined || ms === stored.overMs) ? stored : undefined;
  const referenceMs = ms ?? draft?.overMs ?? openedMs;
  const text = draft?.text ?? (ms === undefined ? '' : format.write(ms));
  const read = (): MomentEntry => {
    if (!draft) return ms ?? 'empty';
    if (draft.text.trim() === '') return isOptional ? 'empty' : 'unreadable';
    return parseMoment(draft.text, { zone, referenceMs, nowMs: Date.now() }) ?? 'unreadable';
  };
  const commit = () => {
    if (!draft || draft.isRefused) return;
    const found = read();
    setDraft(found === 'unreadable' ? { ...draft, isRefused: true } : undefined);
    onEntry(found);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') commit();
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (by === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const found = read();
    if (found === 'unreadable') return;
    const fromMs = found === 'empty' ? openedMs : found;
    const unit =
      found === 'empty' ? 'minute' : format.unitAt(fromMs, event.currentTarget.selectionStart ?? 0);
    const toMs = format.step(fromMs, unit, event.shiftKey ? by * 10 : by);
    if (toMs < 0) return;
    setDraft(undefined);
    setStepped(format.write(toMs));
    selectAfter(unit);
    onEntry(toMs);
  };
  const type = (typed: string) => setDraft({ text: typed, overMs: ms ?? draft?.overMs, isRefused: false });
  return { text, isRefused: draft?.isRefused === true, stepped, referenceMs, type, commit, onKeyDown };
}

/** Selects a unit after the stepped value is in the field: the next arrow steps the same one. */
function useUnitSelection(format: MomentFormat, ms: number | undefined) {
  const input = useRef<HTMLInputElement>(null);
  const unit = useRef<MomentUnit>(undefined);
  useLayoutEffect(() => {
    if (unit.current === undefined || ms === undefined) return;
    const part = format.parts(ms).find((one) => one.unit === unit.current);
    unit.current = undefined;
    if (part) input.current?.setSelectionRange(part.start, part.end);
  }, [format, ms]);
  const selectAfter = (next: MomentUnit) => {
    unit.current = next;
  };
  return [input, selectAfter] as const;
}
