import { useMutation } from '@tanstack/react-query';
import type { ListedStream } from '@vidette/contract/entities';
import { useEffect, useState, type MouseEvent } from 'react';
import { loadStreamsBetween, type StreamFilter } from '../streams-api.ts';
import { placesBetween, withoutStreams, withStreams, type Picked, type PickedStream } from './picked.ts';

/** The selection of streams in the list. */
export interface Picking {
  /** Selection mode: a click on a stream selects it instead of opening it. */
  readonly isOn: boolean;
  readonly picked: Picked;
  /** Every selectable stream of the list is selected. */
  readonly hasAll: boolean;
  /** Streams of a long range are loading. */
  readonly isLoading: boolean;
  /**
   * Selects or deselects a stream; with `isRange` all from the one selected before to this one are selected.
   */
  readonly toggle: (place: number, stream: ListedStream, isRange: boolean) => void;
  readonly pickAll: () => void;
  readonly leaveOut: (streams: Iterable<PickedStream>) => void;
  readonly begin: () => void;
  /** Ends selection mode and clears the selection. */
  readonly end: () => void;
}

const nothing: Picked = new Map();

/**
 * Selection in a partly loaded list.
 * @param total the number of positions in the list
 */
export function usePicking(filter: StreamFilter, total: number): Picking {
  const [isBegun, setBegun] = useState(false);
  const [picked, setPicked] = useState(nothing);
  const [anchor, setAnchor] = useState<number | null>(null);
  /** The length of the list when all were selected. */
  const [allOf, setAllOf] = useState<number | null>(null);
  const range = useMutation({
    mutationFn: ({ first, end }: { first: number; end: number }) => loadStreamsBetween(filter, first, end),
    meta: { title: 'streams.pick.failed' },
    onSuccess: (streams, { first, end }) => {
      setPicked((now) => withStreams(now, streams));
      if (first === 0 && end >= total) setAllOf(end);
    },
  });
  const isOn = isBegun || picked.size > 0;
  const pickAll = () => range.mutate({ first: 0, end: total });
  const leaveOut = (streams: Iterable<PickedStream>) => {
    setPicked((now) => withoutStreams(now, streams));
    setAllOf(null);
  };
  const end = () => {
    range.reset();
    setBegun(false);
    setPicked(nothing);
    setAnchor(null);
    setAllOf(null);
  };
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isForAnother(event.target)) return;
      if (event.key === 'Escape') end();
      else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        pickAll();
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
  return {
    isOn,
    picked,
    hasAll: allOf !== null && allOf >= total,
    isLoading: range.isPending,
    toggle: (place, stream, isRange) => {
      setAnchor(place);
      if (isRange && anchor !== null) range.mutate(placesBetween(anchor, place));
      else if (picked.has(stream.uid)) leaveOut([stream]);
      else setPicked(withStreams(picked, [stream]));
    },
    pickAll,
    leaveOut,
    begin: () => setBegun(true),
    end,
  };
}

/** Keys in a field, a menu or a dialog are handled there. */
function isForAnother(target: EventTarget | null): boolean {
  // A dialog that has just opened may not have the focus yet.
  if (document.querySelector('[role=dialog]')) return true;
  return (
    target instanceof Element &&
    target.closest('input:not([type=checkbox]), textarea, select, [role=menu]') !== null
  );
}

/**
 * For a stream's link: a click selects the stream instead of opening it, with Shift always, otherwise in
 * selection mode.
 */
export function pickingLink(picking: Picking, place: number, stream: ListedStream) {
  return {
    // Shift would select the text between two clicks.
    onMouseDown: (event: MouseEvent) => {
      if (event.shiftKey) event.preventDefault();
    },
    onClick: (event: MouseEvent) => {
      const isAside = event.ctrlKey || event.metaKey || event.altKey;
      if (isAside || !(event.shiftKey || picking.isOn)) return;
      event.preventDefault();
      picking.toggle(place, stream, event.shiftKey);
    },
  };
}
