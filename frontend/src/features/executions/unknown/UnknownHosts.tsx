import { nameOfStep } from '../run/step-name';
import { Alert, Stack, Text } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import type { Execution } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { UnknownHostRow } from './UnknownHostRow';
import { useRunObstacle } from '../run/useRunObstacle';

export function UnknownHosts({ run }: { run: Execution }) {
  const { unknownHosts, finished, steps } = run;
  const obstacle = useRunObstacle(run);
  if (unknownHosts.length === 0 || !finished) return null;
  return (
    <section aria-label="Hosts with an unknown result">
      <Alert
        color="yellow"
        mb="md"
        icon={<IconHelpCircle aria-hidden />}
        title={`${plural(unknownHosts.length, 'result is', 'results are')} unknown`}
      >
        <Stack gap="xs">
          <Text>
            The command may have started, but its result was lost. This run reserves each host until you resolve its
            result. No other run can start there.
          </Text>
          {obstacle && <Text fw={550}>{obstacle}</Text>}
          <Stack component="ul" gap="xs" className="rw-plain-list">
            {unknownHosts.map((host) => (
              <UnknownHostRow
                key={`${host.serverId} ${host.stepKey}`}
                run={run}
                host={host}
                obstacle={obstacle}
                stepName={nameOfStep(steps, host.stepKey)}
              />
            ))}
          </Stack>
        </Stack>
      </Alert>
    </section>
  );
}
