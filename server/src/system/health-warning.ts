import type { HealthWarning } from '@vidette/contract/health';

/** A warning; members not given are null. */
export function warning(
  code: HealthWarning['code'],
  facts: Partial<Omit<HealthWarning, 'code'>> = {},
): HealthWarning {
  return { code, expiresAt: null, usedPercent: null, recordedPercent: null, subject: null, ...facts };
}
