import { Button, Group, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import {
  IconCalendarTime,
  IconCopy,
  IconDots,
  IconDownload,
  IconHistory,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import { toProblem } from '../../../api/errors';
import { planYaml } from '../../../api/queries/plans/plan-texts';
import type { Plan } from '../../../api/types';
import { copyText } from '../../../ui/copy/copy-text';
import { saveFile } from '../../../ui/copy/save-file';
import { MenuItemLink } from '../../../ui/page/links';
import { StartLink } from '../../../ui/runs/StartLink';
import { DeletePlanDialog } from './DeletePlanDialog';

/** Saves or copies the plan as YAML. */
async function exportPlan(plan: Plan, target: 'file' | 'clipboard'): Promise<void> {
  try {
    const yaml = await planYaml(plan.id, plan.revision);
    if (target === 'file') return saveFile(`${plan.name.replace(/[^A-Za-z0-9._-]+/g, '-')}.yaml`, yaml);
    const copied = await copyText(yaml);
    notifications.show(
      copied
        ? { color: 'green', message: 'Copied plan as YAML.' }
        : { color: 'red', message: 'The browser blocked copying. Download the plan instead.' },
    );
  } catch (error) {
    notifications.show({ color: 'red', message: toProblem(error).message });
  }
}

export function PlanActions({ plan }: { plan: Plan }) {
  const { can } = useAccess();
  const [deleting, { open, close }] = useDisclosure();
  return (
    <Group gap="xs">
      <Can role="operator">
        <StartLink planId={plan.id} leftSection={<IconPlayerPlay size={15} aria-hidden />}>
          Run plan
        </StartLink>
      </Can>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px={8} aria-label="More actions">
            <IconDots size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <MenuItemLink
            to="/schedules"
            search={{ plan: plan.id }}
            leftSection={<IconCalendarTime size={15} aria-hidden />}
          >
            Show schedules
          </MenuItemLink>
          <Menu.Item leftSection={<IconDownload size={15} aria-hidden />} onClick={() => void exportPlan(plan, 'file')}>
            Download as YAML
          </Menu.Item>
          <Menu.Item
            leftSection={<IconCopy size={15} aria-hidden />}
            onClick={() => void exportPlan(plan, 'clipboard')}
          >
            Copy as YAML
          </Menu.Item>
          {can('admin') && (
            <MenuItemLink
              to="/audit"
              search={{ resource: plan.id }}
              leftSection={<IconHistory size={15} aria-hidden />}
            >
              History
            </MenuItemLink>
          )}
          {plan.origin === null && (
            <Can role="operator" environmentId={plan.environmentId}>
              <Menu.Item
                c="var(--mantine-color-error)"
                leftSection={<IconTrash size={15} aria-hidden />}
                onClick={open}
              >
                Delete plan
              </Menu.Item>
            </Can>
          )}
        </Menu.Dropdown>
      </Menu>
      <DeletePlanDialog plan={plan} opened={deleting} onClose={close} />
    </Group>
  );
}
