/**
 * What waits while the server is overloaded, in this order: at level n the first n of them. Sub-streams and live video
 * are reduced to key frames instead, and at the last level no new viewers are admitted. Recording never waits.
 */
export const yieldOrder = ['exports', 'thumbnails', 'transcoding', 'motion', 'sub-streams', 'live'] as const;
export type YieldingWork = (typeof yieldOrder)[number];
