/** Programs whose configuration `vidette import` reads. */
export const products = ['frigate', 'mediamtx', 'moonfire', 'shinobi'] as const;
export type Product = (typeof products)[number];
