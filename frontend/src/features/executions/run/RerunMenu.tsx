import { Button, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { IconChevronDown, IconRefresh } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import type { Execution } from '../../../api/types';
import { MenuItemLink } from '../../../ui/links';
import { RerunDialog } from './RerunDialog';
import { failedHosts } from './rerun-form';

/** Ways to run a finished run once more. */
export function RerunMenu({ run }: { run: Execution }) {
  const [hosts, setHosts] = useState<'all' | 'failed' | null>(null);
  const failed = failedHosts(run);
  return (
    <>
      <Menu position="bottom-end" width={320}>
        <Menu.Target>
          <Button
            leftSection={<IconRefresh size={15} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            Run again
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Can role="operator" unless={failed === 0 ? 'No host of this run failed' : null}>
            <Menu.Item onClick={() => setHosts('failed')}>
              On the hosts that failed
              <Hint>{failed === 0 ? 'None did.' : `${failed} of ${run.hostCount}.`}</Hint>
            </Menu.Item>
          </Can>
          <Can role="operator">
            <Menu.Item onClick={() => setHosts('all')}>
              On all of its hosts
              <Hint>The same, or the plan as it is now; from any step on.</Hint>
            </Menu.Item>
          </Can>
          <Can role="operator">
            <MenuItemLink to="." search={(before) => ({ ...before, start: run.planId, again: run.id })}>
              With other values
              <Hint>Opens the start form with the values of this run.</Hint>
            </MenuItemLink>
          </Can>
        </Menu.Dropdown>
      </Menu>
      {hosts && <RerunDialog run={run} hosts={hosts} onClose={() => setHosts(null)} />}
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
