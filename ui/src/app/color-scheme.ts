import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core';

/**
 * Night, day, or as the system: what the signed-in person chose. The server writes the choice into the page it sends,
 * so that nothing flashes; here it is told to whoever draws, at the start and when it changes.
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

  /** Draws everything anew in another scheme. */
  show(value: MantineColorScheme): void {
    if (value === this.#value) return;
    this.#value = value;
    this.#onUpdate?.(value);
  }
}
