/** The version of the catalog's tables, apart from the catalog: the supervisor compares it and needs nothing else of the archive. */

/** Incremented with every change of the catalog's tables. */
export const CATALOG_VERSION = 4;
/**
 * The oldest version whose writers may go on in a catalog of the present one: changes since then only add tables, or columns
 * with a default. Equal to `CATALOG_VERSION` after any other change.
 */
export const CATALOG_FROM = 4;
