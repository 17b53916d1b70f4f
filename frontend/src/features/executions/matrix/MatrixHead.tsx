import type { ExecutionStep, HostStatus } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { StatusDot } from '../../../ui/status/StatusBadge';
import statusClasses from '../../../ui/status/status.module.css';
import { statusStyle } from '../../../ui/status/statuses';
import { wholeName } from '../run/step-name';
import classes from './matrix.module.css';
import { stepShares } from './step-share';
import { type ColumnGroup, columnName } from './matrix-groups';

interface Props {
  hosts: number;
  /** Number of hosts while not all are loaded; null = all are. */
  loadingHosts: number | null;
  /** Suffix that all host names share, shown only here. */
  suffix: string;
  /** Visible steps. */
  steps: ExecutionStep[];
  /** Number of steps before the visible ones. */
  firstColumn: number;
  /** Visible groups. */
  groups: ColumnGroup[][];
  /** Key of the step whose column is selected. */
  selectedStep: string | undefined;
  onSelect: (selection: { step?: string }) => void;
}

function stepTitle({ status, reason, command, counts, ...step }: ExecutionStep): string {
  const title = `${wholeName(step)}: ${statusStyle(status).label}${reason ? `, ${reason.text}` : ''}`;
  return [title, ...countLines(counts), command].join('\n');
}

const countLines = (counts: ExecutionStep['counts']): string[] =>
  Object.entries(counts).map(([status, count]) => `${statusStyle(status as HostStatus).label}: ${count}`);

/** Hosts of a step by outcome: numbers of failures, and the share of each outcome as a bar. */
function StepBar({ step }: { step: ExecutionStep }) {
  const shares = stepShares(step);
  if (shares.length === 0) return null;
  return (
    <div className={classes.bar} aria-hidden>
      {shares.map(({ tone, count }) => (
        <span key={tone} className={`${statusClasses[tone]} ${classes.share}`} style={{ flexGrow: count }} />
      ))}
    </div>
  );
}

/** Takes the place of the columns before the visible ones. */
export const Spacer = () => <div role="presentation" />;

/** Header rows: groups of steps, from outer to inner, then the steps. */
export function MatrixHead({ hosts, loadingHosts, suffix, steps, firstColumn, groups, selectedStep, onSelect }: Props) {
  return (
    <>
      {groups.map((row, level) => (
        <div role="row" aria-rowindex={level + 1} key={level} className={`${classes.row} ${classes.groups}`}>
          <div role="columnheader" className={classes.host} />
          <Spacer />
          {row.map(({ id, label, span }) => (
            <div
              role="columnheader"
              key={id}
              aria-colspan={span}
              className={label === null ? undefined : classes.group}
              style={{ gridColumn: `span ${span}` }}
              title={label ?? undefined}
            >
              {label !== null && <span className={classes.groupName}>{label}</span>}
            </div>
          ))}
        </div>
      ))}
      <div role="row" aria-rowindex={groups.length + 1} className={`${classes.row} ${classes.head}`}>
        <div role="columnheader" className={classes.host}>
          <button type="button" className={classes.button} onClick={() => onSelect({})}>
            {loadingHosts === null ? plural(hosts, 'host') : `Loading ${plural(loadingHosts, 'host')}…`}
            {suffix !== '' && (
              <span className={classes.suffix} title={`All names end in ${suffix}`}>
                …{suffix}
              </span>
            )}
          </button>
        </div>
        <Spacer />
        {steps.map((step, index) => (
          <div role="columnheader" aria-colindex={firstColumn + index + 2} key={step.key}>
            <button
              type="button"
              className={`${classes.button} ${selectedStep === step.key ? classes.selected : ''}`}
              title={stepTitle(step)}
              onClick={() => onSelect({ step: step.key })}
            >
              <StatusDot status={step.status} size={14} />
              <span className={classes.name}>{columnName(step)}</span>
              {step.status === 'PAUSED' && <span className={classes.paused}>paused</span>}
            </button>
            <StepBar step={step} />
          </div>
        ))}
      </div>
    </>
  );
}
