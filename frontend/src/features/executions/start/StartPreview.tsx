import { Paper, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { targetsPreviewQuery } from '../../../api/queries/plans/plans';
import type { Plan, ResolvedVariable, TargetsPreview } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { StartChanges } from './StartChanges';
import type { StartForm } from './start-request';
import classes from './start.module.css';
import { TargetsBox } from './TargetsBox';

interface Props {
  plan: Plan;
  values: StartForm;
  resolved: readonly ResolvedVariable[];
}

/** What the start would do: hosts, steps, and differences from the last success. */
export function StartPreview({ plan, values: { environmentId, targets, variables }, resolved }: Props) {
  const [selector] = useDebouncedValue(targets.trim(), 300);
  const { data: preview } = useQuery(targetsPreviewQuery(plan.id, environmentId, selector));
  return (
    <Paper component="section" aria-label="Preview" p="md" className={classes.preview}>
      <Part title="Hosts">
        <TargetsBox planId={plan.id} environmentId={environmentId} targets={selector} />
      </Part>
      <Part title={`Steps (${plan.steps.length})`}>
        <PreviewedSteps plan={plan} preview={preview} />
      </Part>
      {environmentId !== null && (
        <Part title="Since the last success">
          <StartChanges
            plan={plan}
            environmentId={environmentId}
            entered={variables}
            resolved={resolved}
            preview={preview}
          />
        </Part>
      )}
    </Paper>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title}>
    <Title order={3} size="xs" mb={4}>
      {title}
    </Title>
    {children}
  </section>
);

const NAMED_STEPS = 12;

function PreviewedSteps({ plan, preview }: { plan: Plan; preview: TargetsPreview | undefined }) {
  return (
    <ol className="rw-list">
      {plan.steps.slice(0, NAMED_STEPS).map(({ key, name, type, confirm }) => (
        <li key={key} className="rw-wrap-anywhere">
          {name}{' '}
          <Text span size="xs" c="dimmed">
            {describeStep(type === 'gate' || confirm, preview?.stepCounts[key], preview?.count)}
          </Text>
        </li>
      ))}
      {plan.steps.length > NAMED_STEPS && (
        <Text component="li" c="dimmed">
          {plural(plan.steps.length - NAMED_STEPS, 'more step')}
        </Text>
      )}
    </ol>
  );
}

/** Names a decision that the step waits for, and its hosts if they are not all. */
const describeStep = (waits: boolean, hosts: number | undefined, all: number | undefined): string =>
  [
    ...(waits ? ['waits for a decision'] : []),
    ...(hosts !== undefined && hosts !== all ? [plural(hosts, 'host')] : []),
  ].join(', ');
