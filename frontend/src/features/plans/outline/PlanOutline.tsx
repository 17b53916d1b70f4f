import { Text } from '@mantine/core';
import type { Plan } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { OutlineFacts } from './OutlineFacts';
import { OutlinePeople } from './OutlinePeople';
import { OutlineSchedules } from './OutlineSchedules';
import { OutlineSection } from './OutlineSection';
import { OutlineVariables } from './OutlineVariables';
import { RunStrip } from './RunStrip';
import { StepOutline } from './StepOutline';
import classes from './outline.module.css';
import { Description } from '../../../ui/page/Description';

/** A plan to read: history, steps, variables, schedules and people. */
export function PlanOutline({ plan }: { plan: Plan }) {
  return (
    <div className={classes.page}>
      <div className={classes.main}>
        <RunStrip planId={plan.id} />
        {plan.description && <Description>{plan.description}</Description>}
        <OutlineSection title="Steps" end={<Text c="dimmed">{plural(plan.steps.length, 'step')}</Text>}>
          <StepOutline steps={plan.steps} label="Steps of the plan" />
        </OutlineSection>
      </div>
      <div className={classes.side}>
        <OutlineFacts plan={plan} />
        <OutlineVariables variables={plan.variables} />
        <OutlineSchedules plan={plan} />
        <OutlinePeople environmentId={plan.environmentId} />
      </div>
    </div>
  );
}
