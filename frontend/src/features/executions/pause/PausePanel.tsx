import type { Execution, ExecutionHost } from '../../../api/types';
import type { Cells } from '../run/run-cells.reducer';
import { ApprovalPanel } from './ApprovalPanel';
import { DecisionPanel } from './DecisionPanel';

interface Props {
  run: Execution;
  hosts: ExecutionHost[];
  cells: Cells;
}

export function PausePanel({ run, hosts, cells }: Props) {
  const { pause, approval, status } = run;
  if (status !== 'PAUSED' || !pause) return null;
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
