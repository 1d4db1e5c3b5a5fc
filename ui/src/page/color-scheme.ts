import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core';

/**
 * Night, day, or as the system: the signed-in user's choice. The server writes the choice into the page it
 * sends, so that nothing flashes; this module reports it to the renderer at the start and on each change.
 */
export class ColorScheme implements MantineColorSchemeManager {
  #value: MantineColorScheme;
  #onUpdate: ((value: MantineColorScheme) => void) | undefined;

  constructor(value: MantineColorScheme) {
    this.#value = value;
  }

  readonly get = (): MantineColorScheme => this.#value;

  readonly set = (value: MantineColorScheme): void => {
    this.#value = value;
  };

  readonly subscribe = (onUpdate: (value: MantineColorScheme) => void): void => {
    this.#onUpdate = onUpdate;
  };

  readonly unsubscribe = (): void => {
    this.#onUpdate = undefined;
  };

  readonly clear = (): void => this.show('auto');

  /** Redraws everything in another scheme. */
  show(value: MantineColorScheme): void {
    if (value === this.#value) return;
    this.#value = value;
    this.#onUpdate?.(value);
  }
}
