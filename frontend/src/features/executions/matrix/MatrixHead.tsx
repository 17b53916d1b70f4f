import type { ExecutionStep } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { StatusDot } from '../../../ui/status/StatusBadge';
import { statusStyle } from '../../../ui/status/statuses';
import { wholeName } from '../run/step-name';
import classes from './matrix.module.css';
import { type ColumnGroup, columnName } from './matrix-groups';

interface Props {
  hosts: number;
  steps: ExecutionStep[];
  groups: ColumnGroup[][];
  /** Key of the step whose column is selected. */
  selectedStep: string | undefined;
  onSelect: (selection: { step?: string }) => void;
}

const stepTitle = ({ status, reason, command, ...step }: ExecutionStep): string =>
  `${wholeName(step)}: ${statusStyle(status).label}${reason ? `, ${reason.text}` : ''}\n${command}`;

/** Header rows: groups of steps, from outer to inner, then the steps. */
export function MatrixHead({ hosts, steps, groups, selectedStep, onSelect }: Props) {
  return (
    <>
      {groups.map((row, level) => (
        <div role="row" aria-rowindex={level + 1} key={level} className={`${classes.row} ${classes.groups}`}>
          <div role="columnheader" className={classes.host} />
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
            {plural(hosts, 'host')}
          </button>
        </div>
        {steps.map((step) => (
          <div role="columnheader" key={step.key}>
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
          </div>
        ))}
      </div>
    </>
  );
}
