import type { SourceInspection } from '../../streams/source-inspection.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the probe calls. */
export interface ProbeServices {
  readonly sourceInspection: Pick<SourceInspection, 'report' | 'snapshot'>;
}

/** Probing a source before it becomes a stream. */
export function registerProbe(registrar: Registrar, { sourceInspection }: ProbeServices): void {
  registrar.handle('probeStream', (context) => sourceInspection.report(context, context.query));

  registrar.handle('previewStream', async (context) => ({
    contentType: 'image/jpeg',
    body: await sourceInspection.snapshot(context, context.query),
  }));
}
