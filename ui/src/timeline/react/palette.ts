import type { TimelinePalette } from '../draw.ts';

/** The theme's colours in the form that a canvas takes. */
export function paletteOf(style: CSSStyleDeclaration): TimelinePalette {
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    floor: colour('--surface-2'),
    line: colour('--line-strong'),
    text: colour('--text'),
    quiet: colour('--quiet'),
    recorded: colour('--timeline-recorded'),
    recordedEdge: colour('--accent'),
    hatch: colour('--timeline-hatch'),
    events: {
      motion: colour('--event-motion'),
      person: colour('--event-person'),
      vehicle: colour('--event-vehicle'),
      animal: colour('--event-animal'),
      other: colour('--event-other'),
    },
    eventEdge: colour('--surface-1'),
    bookmark: colour('--text'),
    changes: colour('--text'),
    live: colour('--signal-green'),
    liveFaded: colour('--timeline-live-faded'),
    playhead: colour('--accent'),
    onPlayhead: colour('--on-accent'),
  };
}
