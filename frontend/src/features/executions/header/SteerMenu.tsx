import { Button, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAdjustments, IconChevronDown, IconPlayerPause } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { toProblem } from '../../../api/errors';
import { usePause, useSwitchMode } from '../../../api/queries/runs/steering';
import type { Execution } from '../../../api/types';
import { MODE_MEANINGS, MODE_NAMES } from '../../../ui/runs/modes';
import { modeSwitchesOf } from '../run/modes';
import { useRunObstacle } from '../run/useRunObstacle';

const notifyError = (error: unknown) =>
  notifications.show({ color: 'red', title: toProblem(error).title, message: toProblem(error).message });

export function SteerMenu({ run }: { run: Execution }) {
  const pause = usePause(run.id);
  const switchMode = useSwitchMode(run.id);
  const obstacle = useRunObstacle(run);
  const modes = modeSwitchesOf(run);
  const canPause = (run.status === 'RUNNING' || run.status === 'PENDING') && run.execution_mode !== 'dry_run';
  if (!canPause && modes.length === 0) return null;
  return (
    <Menu position="bottom-end" width={320}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconAdjustments size={15} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          loading={pause.isPending || switchMode.isPending}
        >
          Control
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {canPause && (
          <Can
            role="viewer"
            unless={obstacle ?? (run.pauseRequestedBy ? `Already requested by ${run.pauseRequestedBy.name}` : null)}
          >
            <Menu.Item
              leftSection={<IconPlayerPause size={15} aria-hidden />}
              onClick={() => pause.mutate(undefined, { onError: notifyError })}
            >
              Pause at next step
            </Menu.Item>
          </Can>
        )}
        {modes.length > 0 && <Menu.Label>Mode, {MODE_NAMES[run.execution_mode].toLowerCase()} now</Menu.Label>}
        {modes.map((mode) => (
          <Can role="viewer" unless={obstacle} key={mode}>
            <Menu.Item onClick={() => switchMode.mutate(mode, { onError: notifyError })}>
              Switch to {MODE_NAMES[mode].toLowerCase()}
              <Text size="xs" c="dimmed">
                {MODE_MEANINGS[mode]}
              </Text>
            </Menu.Item>
          </Can>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
