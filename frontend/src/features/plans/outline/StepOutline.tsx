import { Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  type Icon,
  IconClock,
  IconFileCode,
  IconFileText,
  IconGitBranch,
  IconHandStop,
  IconListTree,
  IconTerminal2,
} from '@tabler/icons-react';
import { planQuery } from '../../../api/queries/plans/plans';
import type { PlanStep, StepType } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { plural } from '../../../ui/format/format';
import { formType } from '../form/types/step-types';
import { StepLinks } from './StepLinks';
import { stepSettings } from './step-settings';
import { Expandable, LibraryText, StepText } from './StepText';
import classes from './outline.module.css';

const ICONS: Record<StepType, Icon> = {
  command: IconTerminal2,
  script: IconFileCode,
  template: IconFileText,
  file: IconGitBranch,
  wait: IconClock,
  gate: IconHandStop,
  plan: IconListTree,
};

/** Called plans are shown within each other up to this depth. */
const MAX_DEPTH = 5;

interface Props {
  steps: readonly PlanStep[];
  label: string;
  /** Number of plans that call each other above these steps. */
  depth?: number;
}

/** Steps of a plan as a numbered list, to read. */
export function StepOutline({ steps, label, depth = 0 }: Props) {
  return (
    <Paper component="ol" className={classes.steps} aria-label={label}>
      {steps.map((step) => (
        <OutlinedStep key={step.key} step={step} depth={depth} />
      ))}
    </Paper>
  );
}

function OutlinedStep({ step, depth }: { step: PlanStep; depth: number }) {
  const type = formType(step.type);
  const Glyph = ICONS[step.type];
  const text = type.summary(step);
  const settings = stepSettings(step);
  return (
    <li className={classes.step} data-pause={step.type === 'gate' || step.confirm || undefined}>
      <div className={classes.body}>
        <div className={classes.head}>
          <Text span fw={550} className="rw-wrap-anywhere">
            {step.name}
          </Text>
          <Text span size="xs" c="dimmed" className={classes.kind}>
            <Glyph size={14} aria-hidden />
            {type.label}
          </Text>
          <StepLinks step={step} />
        </div>
        {text !== '' && <StepText text={text} label={`Text of ${step.name}`} />}
        {step.scriptId && <LibraryText kind="script" id={step.scriptId} />}
        {step.templateId && <LibraryText kind="template" id={step.templateId} />}
        {step.planId && depth < MAX_DEPTH && (
          <Expandable
            label={`Steps of ${step.name}`}
            line={
              <Text span size="xs" c="dimmed">
                Show the steps of the called plan
              </Text>
            }
          >
            {() => <CalledSteps planId={step.planId ?? ''} depth={depth + 1} />}
          </Expandable>
        )}
        {settings.length > 0 && (
          <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
            {settings.join(' · ')}
          </Text>
        )}
      </div>
    </li>
  );
}

function CalledSteps({ planId, depth }: { planId: string; depth: number }) {
  const { data: plan, error } = useQuery(planQuery(planId));
  if (error) return <ErrorPanel error={error} />;
  if (!plan) return <RowsSkeleton rows={2} />;
  return (
    <>
      <Text size="xs" c="dimmed" mb={4}>
        Revision {plan.revision}, {plural(plan.steps.length, 'step')}. A run uses the revision at its start.
      </Text>
      <StepOutline steps={plan.steps} label={`Steps of ${plan.name}`} depth={depth} />
    </>
  );
}
