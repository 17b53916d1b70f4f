import type { Execution, ExecutionHost } from '../../../api/types';
import type { Cells } from '../run/run-cells.reducer';
import { ApprovalPanel } from './ApprovalPanel';
import { CancelRun } from '../header/CancelRun';
import { DecisionPanel } from './DecisionPanel';
import { ThumbBar, useThumbBar } from '../run/ThumbBar';

interface Props {
  run: Execution;
  hosts: ExecutionHost[];
  cells: Cells;
}

/** What the run waits for; on a phone also the bar with its actions. */
export function PausePanel({ run, hosts, cells }: Props) {
  const { pause, approval, status, finished } = run;
  const onPhone = useThumbBar();
  if (status !== 'PAUSED' || !pause)
    return onPhone && !finished ? (
      <ThumbBar>
        <CancelRun run={run} />
      </ThumbBar>
    ) : null;
  if (pause.reason === 'APPROVAL' && approval)
    return <ApprovalPanel key={pause.since} run={run} pause={pause} approval={approval} />;
  return (
    <DecisionPanel
      key={`${pause.reason} ${pause.stepKey} ${pause.since}`}
      run={run}
      pause={pause}
      hosts={hosts}
      cells={cells}
    />
  );
}
