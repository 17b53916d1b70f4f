import { Button, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { IconChevronDown, IconRefresh } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import type { Execution, ExecutionHost } from '../../../api/types';
import { MenuItemLink } from '../../../ui/page/links';
import { RerunDialog } from './RerunDialog';
import { failedHosts, type RerunHosts } from './rerun-form';
import { useMissingGrant } from '../run/useMissingGrant';

/** The ways to rerun a finished run. */
export function RerunMenu({ run, hosts }: { run: Execution; hosts: readonly ExecutionHost[] }) {
  const [which, setWhich] = useState<RerunHosts | null>(null);
  const grant = useMissingGrant(run);
  const failed = failedHosts(hosts);
  return (
    <>
      <Menu position="bottom-end" width={320}>
        <Menu.Target>
          <Button
            // After a dry run the next step is the real start.
            variant={run.execution_mode === 'dry_run' ? 'default' : 'filled'}
            leftSection={<IconRefresh size={15} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            Run again
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Can
            role="operator"
            unless={grant ?? (run.status === 'SUCCEEDED' ? 'Every host of this run has done it' : null)}
          >
            <Menu.Item onClick={() => setWhich('unfinished')}>
              What is unfinished
              <Hint>On each host what failed or never ran there; nothing that it has done.</Hint>
            </Menu.Item>
          </Can>
          <Can role="operator" unless={grant ?? (failed === 0 ? 'No host of this run failed' : null)}>
            <Menu.Item onClick={() => setWhich('failed')}>
              On the hosts that failed
              <Hint>
                {failed === 0 ? 'None did.' : `${failed} of ${run.hostCount}; all steps, or from any step on.`}
              </Hint>
            </Menu.Item>
          </Can>
          <Can role="operator" unless={grant}>
            <Menu.Item onClick={() => setWhich('all')}>
              On all of its hosts
              <Hint>The same, or the plan as it is now; from any step on.</Hint>
            </Menu.Item>
          </Can>
          <Can role="operator" unless={grant}>
            <MenuItemLink to="." search={(before) => ({ ...before, start: run.planId, again: run.id })}>
              With other values
              <Hint>Opens the start form with the values of this run.</Hint>
            </MenuItemLink>
          </Can>
        </Menu.Dropdown>
      </Menu>
      {which && <RerunDialog run={run} which={which} onClose={() => setWhich(null)} />}
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
