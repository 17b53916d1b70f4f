import type { Session } from '../../client/session.ts';
import { type Run, toStatusText } from '../../runs/run.ts';

export function reportRun({ out }: Session, run: Run): void {
  if (out.isStructured) return out.record(run);
  out.line(
    `${run.status}  The run of ${out.safe(run.planName)} in ${out.safe(run.environmentName)} ${toStatusText(run.status)}.`,
  );
  out.note(run.webUrl);
}
