import { Button, Group, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import type { Execution, FailureCause } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';
import { statusStyle } from '../../../ui/status/statuses';
import { nameOfStep } from '../run/step-name';
import { useRunObstacle } from '../run/useRunObstacle';
import classes from './cause-list.module.css';

interface Props {
  run: Execution;
  causes: readonly FailureCause[];
  /** Absent = the hosts of a cause cannot be rerun now. */
  onRerun?: (cause: FailureCause) => void;
}

/** Causes of failures. Each links to its first output and filters the grid. */
export function CauseList({ run, causes, onRerun }: Props) {
  return (
    <ul className={classes.list} aria-label="Causes">
      {causes.map((cause) => (
        <Cause key={cause.key} run={run} cause={cause} onRerun={onRerun} />
      ))}
    </ul>
  );
}

function Cause({ run, cause, onRerun }: Omit<Props, 'causes'> & { cause: FailureCause }) {
  const { key, stepKey, status, exitCode, text, firstHost, serverIds } = cause;
  const obstacle = useRunObstacle(run);
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
      {onRerun && (
        <Group className="rw-no-shrink">
          <Can role="viewer" unless={obstacle}>
            <Button
              variant="default"
              leftSection={<IconRefresh size={15} aria-hidden />}
              onClick={() => onRerun(cause)}
            >
              Rerun {serverIds.length === 1 ? 'this host' : `these ${serverIds.length}`}
            </Button>
          </Can>
        </Group>
      )}
    </li>
  );
}
