import { useEffect } from 'react';
import { keyMeaning } from '../stream-view/key-meaning.ts';

/** What the keys of the screen do. */
export interface EventKeyTargets {
  /** Chooses the event that many places further down the list. */
  readonly move: (by: number) => void;
  readonly toEnd: (end: 'first' | 'last') => void;
  /** Plays the chosen event from its beginning. */
  readonly play: () => void;
  readonly togglePlayback: () => void;
  readonly toggleReviewed: () => void;
  readonly exportEvent: () => void;
  readonly openArchive: () => void;
  readonly showKeys: () => void;
  /** Any other key: those of the player and the timeline. True when it was handled. */
  readonly other: (key: string, isShifted: boolean) => boolean;
}

const acts: Readonly<Record<string, (targets: EventKeyTargets) => void>> = {
  j: ({ move }) => move(1),
  k: ({ move }) => move(-1),
  ArrowDown: ({ move }) => move(1),
  ArrowUp: ({ move }) => move(-1),
  PageDown: ({ move }) => move(10),
  PageUp: ({ move }) => move(-10),
  Home: ({ toEnd }) => toEnd('first'),
  End: ({ toEnd }) => toEnd('last'),
  r: ({ toggleReviewed }) => toggleReviewed(),
  e: ({ exportEvent }) => exportEvent(),
  o: ({ openArchive }) => openArchive(),
  '?': ({ showKeys }) => showKeys(),
};

/** On a control these belong to the control. */
const activation: Readonly<Record<string, (targets: EventKeyTargets) => void>> = {
  Enter: ({ play }) => play(),
  ' ': ({ togglePlayback }) => togglePlayback(),
};

/** Keys that work wherever the focus is, except in fields, menus and dialogs. */
export function useEventKeys(targets: EventKeyTargets): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (target.closest('input, select, textarea, [role=menu], [role=dialog], [role=radiogroup]')) return;
      if (
        !act(
          targets,
          keyMeaning(event),
          event.shiftKey,
          target.closest('button:not([role=option]), a') !== null,
        )
      )
        return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [targets]);
}

function act(targets: EventKeyTargets, key: string, isShifted: boolean, isOnControl: boolean): boolean {
  if (Object.hasOwn(activation, key)) {
    if (!isOnControl) activation[key]?.(targets);
    return !isOnControl;
  }
  if (!Object.hasOwn(acts, key)) return targets.other(key, isShifted);
  acts[key]?.(targets);
  return true;
}
