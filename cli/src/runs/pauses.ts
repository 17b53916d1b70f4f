import type { Run } from './run.ts';

/** Returns what a run waits for (first line), and how to answer (further lines). */
export function describePause(run: Run): string[] {
  const { id, pause, approval, webUrl } = run;
  if (pause?.reason === 'APPROVAL' || (pause === null && approval?.state === 'pending')) {
    const needed = approval?.requiredApprovals ?? 1;
    const lines = [
      `The run waits for approval in ${run.environmentName} (${needed === 1 ? 'one' : needed} needed): ${webUrl}`,
    ];
    if (approval?.currentUserCanDecide)
      lines.push(`You can approve it: runward run approve ${id} --digest ${run.digest}`);
    return lines;
  }
  if (pause === null) return [`The run waits: ${webUrl}`];
  const where = pause.stepKey === null ? '' : ` at step ${pause.stepKey}`;
  const why = pause.text ? ` ${pause.text}` : '';
  return [
    `The run waits for a decision${where} (${pause.reason}).${why}`,
    `Answer: runward run decide ${id} ${pause.choices.join('|')}, or at ${webUrl}`,
  ];
}
