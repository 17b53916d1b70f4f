import { Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { reviewQuery } from '../../../api/queries/runs/steering';
import type { Execution, ExecutionHost, Pause } from '../../../api/types';
import { VisibleText } from '../../../ui/diff/VisibleText';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { plural } from '../../../ui/format/format';
import { stepFacts } from '../review/step-facts';
import { StepText } from '../review/StepText';
import { CauseList } from '../failures/CauseList';
import { useFailureCauses } from '../run/useFailureCauses';
import { hasFailed, isExcluded } from '../run/host-outcome';
import { FailedHosts } from './FailedHosts';
import type { StepHost } from './host-choice';

/** Number of failed hosts from which causes are easier to read than hosts. */
const MIN_GROUPED_HOSTS = 6;

interface Props {
  run: Execution;
  pause: Pause;
  hosts: readonly ExecutionHost[];
  /** Hosts of the step, with its results. */
  here: readonly StepHost[];
  /** Whether the step leaves out hosts that failed earlier. */
  excludes: boolean;
}

/** The step that a decision is about: failed hosts and content. */
export function PausedStep({ run, pause, hosts, here, excludes }: Props) {
  const review = useQuery(reviewQuery(run.id));
  const stepKey = pause.stepKey ?? '';
  const failed = pause.reason === 'FAILURE_DECISION';
  const failedHosts = here.filter(hasFailed);
  const reviewed = review.data?.steps.find(({ key }) => key === stepKey);
  return (
    <Paper p="md" mb="md" component="section" aria-label="Paused step">
      <Stack gap="md">
        {failed && failedHosts.length >= MIN_GROUPED_HOSTS && <Causes run={run} stepKey={stepKey} />}
        {failed && <FailedHosts failed={failedHosts} total={here.length} stepKey={stepKey} />}
        {reviewed && (
          <div>
            <Title order={2} size="h5" mb={4}>
              <VisibleText text={reviewed.name} />{' '}
              <Text span c="dimmed" size="xs">
                <VisibleText text={stepFacts(reviewed).join(' · ')} />
              </Text>
            </Title>
            <StepText step={reviewed} />
            {!failed && excludes && <ExcludedHosts hosts={hosts} />}
          </div>
        )}
        {review.error && <ErrorPanel error={review.error} onRetry={() => void review.refetch()} />}
        {!review.data && !review.error && <RowsSkeleton rows={2} />}
      </Stack>
    </Paper>
  );
}

function Causes({ run, stepKey }: { run: Execution; stepKey: string }) {
  const causes = useFailureCauses(run).data?.items ?? [];
  return (
    <div>
      <Title order={2} size="h5">
        Failures by cause
      </Title>
      <CauseList run={run} causes={causes.filter((cause) => cause.stepKey === stepKey)} />
    </div>
  );
}

function ExcludedHosts({ hosts }: { hosts: readonly ExecutionHost[] }) {
  const out = hosts.filter(isExcluded);
  if (out.length === 0) return null;
  return (
    <Text size="xs" mt={4}>
      {plural(out.length, 'host')} failed earlier and will be left out.
    </Text>
  );
}
