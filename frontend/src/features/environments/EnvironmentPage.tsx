import { Group, Stack, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPencil } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { missingGrant } from '../../access/environment-access';
import { useAccess } from '../../access/useAccess';
import { environmentQuery } from '../../api/queries/inventory/environments';
import { meQuery } from '../../api/queries/access/session';
import type { Environment } from '../../api/types';
import { EnvironmentBadges } from '../../ui/environments/EnvironmentBadges';
import { AnchorLink, ButtonLink } from '../../ui/page/links';
import { HistoryLink } from '../../ui/page/HistoryLink';
import { PageHeader } from '../../ui/page/PageHeader';
import { EnvironmentDialog } from './EnvironmentDialog';
import { GrantsTab } from './GrantsTab';
import { ProtectionTab } from './protection/ProtectionTab';
import { SharedAddresses } from './SharedAddresses';
import { UnprotectedServers } from './UnprotectedServers';
import { VariablesTab } from './VariablesTab';
import { WindowsTab } from './windows/WindowsTab';
import { ActionButton } from '../../ui/page/ActionButton';
import { UnloadedPage } from '../../ui/page/UnloadedPage';
import { Description } from '../../ui/page/Description';

const route = getRouteApi('/app/environments/$id');

/** Tabs after the overview. */
const ENVIRONMENT_TABS = ['variables', 'access', 'protection', 'windows'] as const;

interface Props {
  /** Content of the first tab, which belongs to another feature. */
  Overview: ComponentType<{ environment: Environment }>;
}

export function EnvironmentPage({ Overview }: Props) {
  const { id } = route.useParams();
  const environment = useQuery(environmentQuery(id));
  if (environment.data) return <EnvironmentView key={id} environment={environment.data} Overview={Overview} />;
  return <UnloadedPage title="Environment" query={environment} />;
}

function EnvironmentView({ environment, Overview }: Props & { environment: Environment }) {
  const { tab = 'overview' } = route.useSearch();
  const navigate = useNavigate({ from: '/environments/$id' });
  const { data: me } = useQuery(meQuery);
  const { can } = useAccess();
  const [editing, { open, close }] = useDisclosure();
  const { id, name, description } = environment;
  const notRun = missingGrant(me?.role, environment);
  const choose = (next: string | null) =>
    void navigate({ search: { tab: ENVIRONMENT_TABS.find((each) => each === next) } });
  return (
    <>
      <PageHeader
        title={name}
        favourite
        above={
          <AnchorLink to="/environments" size="xs">
            Environments
          </AnchorLink>
        }
        badge={<EnvironmentBadges environment={environment} />}
        description={description && <Description>{description}</Description>}
        actions={
          <Group gap="xs">
            <ButtonLink to="/servers" search={{ environment: id }} variant="default">
              Servers
            </ButtonLink>
            <ButtonLink to="/executions" search={{ environment: id }} variant="default">
              Runs
            </ButtonLink>
            <HistoryLink id={id} />
            <ActionButton role="operator" unless={notRun} icon={IconPencil} onClick={open}>
              Edit
            </ActionButton>
          </Group>
        }
      />
      <UnprotectedServers environment={environment} />
      <Tabs value={tab} onChange={choose} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="overview">Overview</Tabs.Tab>
          <Tabs.Tab value="variables">Variables</Tabs.Tab>
          <Tabs.Tab value="access">Access</Tabs.Tab>
          <Tabs.Tab value="protection">Protection</Tabs.Tab>
          <Tabs.Tab value="windows">Run windows</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="overview">
          <Overview environment={environment} />
        </Tabs.Panel>
        <Tabs.Panel value="variables">
          <VariablesTab environmentId={id} unless={notRun} />
        </Tabs.Panel>
        <Tabs.Panel value="access">
          <GrantsTab environment={environment} />
        </Tabs.Panel>
        <Tabs.Panel value="protection">
          <Stack gap="md" maw={640}>
            <ProtectionTab environment={environment} />
            {can('admin') && environment.protected && <SharedAddresses />}
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="windows">
          <WindowsTab environment={environment} />
        </Tabs.Panel>
      </Tabs>
      {editing && <EnvironmentDialog current={environment} onClose={close} />}
    </>
  );
}
