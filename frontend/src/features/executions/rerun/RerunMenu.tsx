import { Button, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { IconChevronDown, IconRefresh } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import type { Execution, ExecutionHost, RerunHosts } from '../../../api/types';
import { MenuItemLink } from '../../../ui/page/links';
import { RerunDialog } from './RerunDialog';
import { countFailedHosts } from './rerun-form';
import { useRunObstacle } from '../run/useRunObstacle';

export function RerunMenu({ run, hosts }: { run: Execution; hosts: readonly ExecutionHost[] }) {
  const [openedHosts, setOpenedHosts] = useState<RerunHosts | null>(null);
  const obstacle = useRunObstacle(run);
  const failed = countFailedHosts(hosts);
  return (
    <>
      <Menu position="bottom-end" width={320}>
        <Menu.Target>
          <Button
            // After a dry run, the next step is the real start.
            variant={run.execution_mode === 'dry_run' ? 'default' : 'filled'}
            leftSection={<IconRefresh size={15} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            Rerun
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Can role="viewer" unless={obstacle ?? (run.status === 'SUCCEEDED' ? 'All hosts completed all steps' : null)}>
            <Menu.Item onClick={() => setOpenedHosts('unfinished')}>
              Unfinished steps
              <Hint>Reruns only failed and skipped steps on each host.</Hint>
            </Menu.Item>
          </Can>
          <Can role="viewer" unless={obstacle ?? (failed === 0 ? 'No failed hosts' : null)}>
            <Menu.Item onClick={() => setOpenedHosts('failed')}>
              Failed hosts
              <Hint>{failed === 0 ? 'None.' : `${failed} of ${run.hostCount} hosts, all steps or from a step.`}</Hint>
            </Menu.Item>
          </Can>
          <Can role="viewer" unless={obstacle}>
            <Menu.Item onClick={() => setOpenedHosts('all')}>
              All hosts
              <Hint>Same or current content, all steps or from a step.</Hint>
            </Menu.Item>
          </Can>
          <Can role="viewer" unless={obstacle}>
            <MenuItemLink to="." search={(before) => ({ ...before, start: run.planId, again: run.id })}>
              Other values
              <Hint>Opens the start form with the values of this run.</Hint>
            </MenuItemLink>
          </Can>
        </Menu.Dropdown>
      </Menu>
      {openedHosts && <RerunDialog run={run} which={openedHosts} onClose={() => setOpenedHosts(null)} />}
    </>
  );
}

function Hint({ children }: { children: string }) {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  );
}
