import { useMutation } from '@tanstack/react-query';
import type { ListedStream } from '@vidette/contract/entities';
import { useEffect, useState, type MouseEvent } from 'react';
import { loadStreamsBetween, type StreamFilter } from '../../api/streams.ts';
import { placesBetween, withoutStreams, withStreams, type Picked, type PickedStream } from './picked.ts';

/** Which streams of the list are picked, and how they come to be. */
export interface Picking {
  /** Somebody is picking: a click on a stream picks it instead of opening it. */
  readonly isOn: boolean;
  readonly picked: Picked;
  /** Every stream of the list that may be picked is. */
  readonly hasAll: boolean;
  /** Streams of a long range are on their way. */
  readonly isLoading: boolean;
  /** Picks a stream or leaves it out; with `isRange` all from the one picked before to this one are picked. */
  readonly toggle: (place: number, stream: ListedStream, isRange: boolean) => void;
  readonly pickAll: () => void;
  readonly leaveOut: (streams: Iterable<PickedStream>) => void;
  readonly begin: () => void;
  /** Ends picking; nothing is picked then. */
  readonly end: () => void;
}

const nothing: Picked = new Map();

/**
 * Picks streams of a list that is there in part only.
 * @param total how many places the list has
 */
export function usePicking(filter: StreamFilter, total: number): Picking {
  const [isBegun, setBegun] = useState(false);
  const [picked, setPicked] = useState(nothing);
  const [anchor, setAnchor] = useState<number | null>(null);
  /** Of how many places all were picked. */
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

/** Keys in a field, a menu or a dialog are meant for it. */
function isForAnother(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input:not([type=checkbox]), textarea, select, [role=dialog], [role=menu]') !== null
  );
}

/** For a stream's link: a click picks the stream rather than opening it, with Shift always, else while picking. */
export function pickingLink(picking: Picking, place: number, stream: ListedStream) {
  return {
    // Shift would mark the text between two clicks.
    onMouseDown: (event: MouseEvent) => {
      if (event.shiftKey) event.preventDefault();
    },
    onClick: (event: MouseEvent) => {
      const isAside = event.ctrlKey || event.metaKey || event.altKey;
      if (!stream.canEdit || isAside || !(event.shiftKey || picking.isOn)) return;
      event.preventDefault();
      picking.toggle(place, stream, event.shiftKey);
    },
  };
}
