// The checklist after the setup: offered in the browser that set the server up, until it is closed there.

const key = 'vidette.firstSteps';

/** The part of Storage that is used. */
type StepsStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Offers the checklist from now on. */
export function openFirstSteps(storage: StepsStorage): void {
  storage.setItem(key, 'open');
}

/** Whether the checklist is offered. */
export function hasFirstSteps(storage: StepsStorage): boolean {
  return storage.getItem(key) === 'open';
}

/** Stops offering the checklist. */
export function closeFirstSteps(storage: StepsStorage): void {
  storage.removeItem(key);
}
