import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { Execution, FailureCause } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { lastState } from '../../../ui/format/last-state';
import { CauseList } from '../failures/CauseList';
import { RerunDialog } from '../rerun/RerunDialog';
import { nameOfStep } from '../run/step-name';
import { useFailureCauses } from '../run/useFailureCauses';

/** Causes that are shown before the user asks for all. */
const FIRST = 5;

interface Props {
  run: Execution;
  failure: NonNullable<Execution['summary']['firstFailure']>;
}

/** Why a run failed: its failures by cause, with the hosts of each. */
export function FailureCauses({ run, failure }: Props) {
  const { data } = useFailureCauses(run);
  const [showsAll, setShowsAll] = useState(false);
  const [rerunOf, setRerunOf] = useState<FailureCause | null>(null);
  const causes = data?.items ?? [];
  const hidden = showsAll ? 0 : Math.max(0, causes.length - FIRST);
  return (
    <Alert
      color="red"
      mb="md"
      py={8}
      icon={<IconAlertTriangle aria-hidden />}
      title={data ? titleOf(run, data) : 'Failed'}
      classNames={{ body: 'rw-shrinkable' }}
    >
      <Stack gap={8}>
        <CauseList
          run={run}
          causes={causes.slice(0, causes.length - hidden)}
          onRerun={run.finished ? setRerunOf : undefined}
        />
        {causes.length <= 1 && failure.lastLines.length > 1 && (
          <Code block tabIndex={0} role="group" aria-label={`Last lines of output of ${failure.serverName}`}>
            {failure.lastLines.map(lastState).join('\n')}
          </Code>
        )}
        {hidden > 0 && (
          <Button variant="subtle" color="red" className="rw-align-start" onClick={() => setShowsAll(true)}>
            Show {plural(hidden, 'more cause')}
          </Button>
        )}
        {data && data.moreCauses > 0 && hidden === 0 && (
          <Text>
            And {plural(data.moreCauses, 'more cause')} on {plural(data.moreFailures, 'host')}. The grid below shows
            all.
          </Text>
        )}
      </Stack>
      {rerunOf && (
        <RerunDialog run={run} which="failed" serverIds={rerunOf.serverIds} onClose={() => setRerunOf(null)} />
      )}
    </Alert>
  );
}

function titleOf(run: Execution, { items, moreFailures }: { items: FailureCause[]; moreFailures: number }): string {
  const hosts = new Set(items.flatMap(({ serverIds }) => serverIds)).size + moreFailures;
  const steps = new Set(items.map(({ stepKey }) => stepKey));
  const [only] = steps;
  const where =
    steps.size === 1 && moreFailures === 0 && only !== undefined ? ` in ${nameOfStep(run.steps, only)}` : '';
  return `Failed on ${hosts} of ${plural(run.hostCount, 'host')}${where}`;
}
