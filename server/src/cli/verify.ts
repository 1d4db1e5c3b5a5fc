import { verifyPackage } from '../export/verify-package.ts';
import type { Tell } from './answer.ts';

/**
 * `vidette verify PACKAGE [FINGERPRINT]`: checks an exported package, a ZIP or its unpacked folder, without a
 * server. Exit code 1 when anything is wrong with it, or when it was signed with a different key from the one
 * given.
 */
export async function verify(
  path: string,
  fingerprint: string | undefined,
  out: (line: string) => void,
  tell?: Tell,
): Promise<number> {
  const verdict = await verifyPackage(path);
  const problems = [...verdict.problems];
  if (fingerprint !== undefined && verdict.fingerprint !== undefined && fingerprint !== verdict.fingerprint) {
    problems.push(`It was signed with the key ${verdict.fingerprint}, not with ${fingerprint}.`);
  }
  const { manifest } = verdict;
  if (manifest) {
    const time = (ms: number) => new Date(ms).toISOString();
    out(`Requested: ${time(manifest.asked.startTime)} to ${time(manifest.asked.endTime)}`);
    for (const { name, files, gaps } of manifest.streams) {
      const seconds = files.reduce((sum, file) => sum + file.durationMs, 0) / 1000;
      out(`${name}: ${files.length} files, ${seconds.toFixed(1)} s, gaps: ${gaps.length}`);
      for (const gap of gaps) out(`  ${time(gap.startTime)} to ${time(gap.endTime)} ${gap.cause}`);
    }
    out(`Created ${time(manifest.createdTime)} by ${manifest.createdBy} on ${manifest.node}`);
    out(`Signed with the key ${verdict.fingerprint ?? ''}`);
  }
  tell?.({
    problems,
    fingerprint: verdict.fingerprint ?? null,
    filesChecked: verdict.filesChecked,
    manifest: manifest ?? null,
  });
  for (const problem of problems) out(problem);
  out(
    problems.length === 0
      ? `The package is complete and unchanged: ${verdict.filesChecked} files.`
      : `The package is NOT intact. Problems: ${problems.length}.`,
  );
  return problems.length === 0 ? 0 : 1;
}
