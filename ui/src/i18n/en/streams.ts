export const streams = {};
