/** Whether the event stream works; until it is followed, it does not. */
let isFollowing: () => boolean = () => false;

/** Sets what knows whether the event stream works. */
export function setFollowing(isConnected: () => boolean): void {
  isFollowing = isConnected;
}

/** The interval of a poll for what the event stream reports: none while it works. */
export function whileCut(intervalMs: number): number | false {
  return isFollowing() ? false : intervalMs;
}
