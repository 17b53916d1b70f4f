import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import type { Execution, FailureCause } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { lastState } from '../../../ui/format/last-state';
import { AnchorLink } from '../../../ui/page/links';
import { statusStyle } from '../../../ui/status/statuses';
import { RerunDialog } from '../rerun/RerunDialog';
import { nameOfStep } from '../run/step-name';
import { useFailureCauses } from '../run/useFailureCauses';
import { useMissingGrant } from '../run/useMissingGrant';
import classes from './failure-causes.module.css';

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
        <ul className={classes.list} aria-label="Causes">
          {causes.slice(0, causes.length - hidden).map((cause) => (
            <Cause key={cause.key} run={run} cause={cause} onRerun={() => setRerunOf(cause)} />
          ))}
        </ul>
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

function Cause({ run, cause, onRerun }: { run: Execution; cause: FailureCause; onRerun: () => void }) {
  const { key, stepKey, status, exitCode, text, firstHost, serverIds } = cause;
  const grant = useMissingGrant(run);
  const hosts = plural(serverIds.length, 'host');
  const facts = [
    statusStyle(status).label,
    ...(exitCode === null ? [] : [`exit code ${exitCode}`]),
    nameOfStep(run.steps, stepKey),
    serverIds.length === 1 ? firstHost.serverName : hosts,
  ];
  return (
    <li className={classes.cause}>
      <div className="rw-shrinkable">
        <Text className={`rw-wrap-anywhere ${classes.text}`}>
          <AnchorLink
            to="."
            search={(before) => ({
              ...before,
              ...{ cause: key, show: undefined, hosts: undefined },
              ...{ host: firstHost.serverName, step: stepKey, line: undefined, q: undefined },
            })}
            underline="always"
            resetScroll={false}
          >
            {text ?? statusStyle(status).label}
          </AnchorLink>
        </Text>
        <Text size="sm">{facts.join(' · ')}</Text>
      </div>
      {run.finished && (
        <Group className="rw-no-shrink">
          <Can role="operator" unless={grant}>
            <Button variant="default" leftSection={<IconRefresh size={15} aria-hidden />} onClick={onRerun}>
              Rerun {serverIds.length === 1 ? 'this host' : `these ${serverIds.length}`}
            </Button>
          </Can>
        </Group>
      )}
    </li>
  );
}
