import type { gapCauses } from '@vidette/contract/constants';

/** Why a span was not recorded. Stored as text in the catalog and explained by the page. */
export type RecordedGapCause = (typeof gapCauses)[number];
