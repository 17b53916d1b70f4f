import { Alert, Button, Group, Menu, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  IconCalendarTime,
  IconCopy,
  IconDots,
  IconDownload,
  IconPlayerPlay,
  IconSnowflake,
  IconTrash,
} from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { toProblem } from '../../../api/errors';
import { planYaml } from '../../../api/queries/plans/plan-texts';
import { planQuery } from '../../../api/queries/plans/plans';
import type { Plan } from '../../../api/types';
import { reasonText } from '../../../ui/collections/freeze';
import { FrozenBadge } from '../../../ui/collections/FrozenBadge';
import { useFreeze } from '../../../ui/collections/useFreeze';
import { copyText } from '../../../ui/copy/copy-text';
import { saveFile } from '../../../ui/copy/save-file';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { shortTime } from '../../../ui/format/format';
import { MenuItemLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { PageSkeleton } from '../../../ui/feedback/Skeletons';
import { StartLink } from '../../../ui/runs/StartLink';
import { DeletePlanDialog } from './DeletePlanDialog';
import { PlanEditor } from '../editor/PlanEditor';
import { OriginNotice } from './OriginNotice';
import { PlanPlace } from './PlanPlace';
import { PlanRevisions } from './PlanRevisions';
import { PlanRuns } from './PlanRuns';

const route = getRouteApi('/app/plans/$id');

export function PlanPage() {
  const { id } = route.useParams();
  // A background refetch must not change a form that is being edited. Saving detects concurrent changes.
  const plan = useQuery({ ...planQuery(id), refetchOnWindowFocus: false, staleTime: 0 });
  // The form must not start from cached data of an earlier visit.
  if (plan.data && plan.isFetchedAfterMount) return <PlanView key={id} plan={plan.data} />;
  if (!plan.error) return <PageSkeleton />;
  return (
    <>
      <PageHeader title="Plan" />
      <ErrorPanel error={plan.error} onRetry={() => void plan.refetch()} />
    </>
  );
}

function PlanView({ plan }: { plan: Plan }) {
  const { tab = 'edit' } = route.useSearch();
  const navigate = useNavigate({ from: '/plans/$id' });
  const freeze = useFreeze(plan.frozenBy);
  const [deleting, { open, close }] = useDisclosure();
  const exported = async (action: 'save' | 'copy') => {
    try {
      const yaml = await planYaml(plan.id, plan.revision);
      if (action === 'save') return saveFile(`${plan.name.replace(/[^A-Za-z0-9._-]+/g, '-')}.yaml`, yaml);
      const copied = await copyText(yaml);
      notifications.show(
        copied
          ? { color: 'green', message: 'Copied plan as YAML.' }
          : { color: 'red', message: 'The browser blocked copying. Download the plan instead.' },
      );
    } catch (error) {
      notifications.show({ color: 'red', message: toProblem(error).message });
    }
  };
  const choose = (next: string | null) =>
    void navigate({
      search: (before) => ({
        ...before,
        ...{ revision: undefined, earlier: undefined, later: undefined },
        tab: next === 'runs' || next === 'revisions' ? next : undefined,
      }),
    });
  return (
    <>
      <PageHeader
        title={plan.name}
        above={<PlanPlace plan={plan} />}
        badge={<FrozenBadge freeze={plan.frozenBy} />}
        description={`Revision ${plan.revision}`}
        actions={
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
                <Menu.Item leftSection={<IconDownload size={15} aria-hidden />} onClick={() => void exported('save')}>
                  Download as YAML
                </Menu.Item>
                <Menu.Item leftSection={<IconCopy size={15} aria-hidden />} onClick={() => void exported('copy')}>
                  Copy as YAML
                </Menu.Item>
                {plan.origin === null && (
                  <Can role="operator">
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
          </Group>
        }
      />
      {plan.origin && <OriginNotice origin={plan.origin} />}
      {freeze && (
        <Alert color="blue" py={8} mb="md" icon={<IconSnowflake aria-hidden />}>
          Only dry runs can start until {shortTime(freeze.until)}: {reasonText(freeze.reason)}
        </Alert>
      )}
      <Tabs value={tab} onChange={choose} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="edit">Plan</Tabs.Tab>
          <Tabs.Tab value="runs">Runs</Tabs.Tab>
          <Tabs.Tab value="revisions">Revisions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="edit" keepMounted>
          <PlanEditor plan={plan} />
        </Tabs.Panel>
        <Tabs.Panel value="runs">
          <PlanRuns planId={plan.id} />
        </Tabs.Panel>
        <Tabs.Panel value="revisions">
          <PlanRevisions plan={plan} />
        </Tabs.Panel>
      </Tabs>
      <DeletePlanDialog plan={plan} opened={deleting} onClose={close} />
    </>
  );
}
