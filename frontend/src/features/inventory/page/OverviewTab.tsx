import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { environmentQuery } from '../../../api/queries/inventory/environments';
import { keyChoicesQuery } from '../../../api/queries/inventory/keys';
import type { Server } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { Fact } from '../../../ui/page/Fact';
import { AnchorLink } from '../../../ui/page/links';
import { ServerHistory } from '../history/ServerHistory';
import { isBadState } from '../checks/state-advice';
import { Tags } from '../checks/Tags';
import { JumpPath } from './JumpPath';
import { ConnectionFacts } from './ConnectionFacts';
import type { ServerTabProps } from './server-tab';

export function OverviewTab({ server, unless, onDiagnose }: ServerTabProps) {
  // The cause and what to do come first.
  const isTrouble = isBadState(server.state);
  return (
    <Stack gap="md">
      {!isTrouble && <ServerHistory server={server} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Section title="Connection">
          <ConnectionFacts server={server} unless={unless} onDiagnose={onDiagnose} />
        </Section>
        <Section title="Server">
          <ServerFacts server={server} />
        </Section>
      </SimpleGrid>
      {isTrouble && <ServerHistory server={server} />}
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper component="section" aria-label={title} p="md">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  );
}

function ServerFacts({ server }: { server: Server }) {
  const environment = useQuery(environmentQuery(server.environmentId));
  const keys = useQuery(keyChoicesQuery);
  const key = keys.data?.items.find(({ id }) => id === server.sshKeyId);
  const hasTags = Object.keys(server.tags).length > 0;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Fact label="Environment">
        <AnchorLink to="/environments/$id" params={{ id: server.environmentId }}>
          {environment.data?.name ?? '…'}
        </AnchorLink>
      </Fact>
      <Fact label="SSH key">
        <AnchorLink to="/keys/$id" params={{ id: server.sshKeyId }}>
          {key?.name ?? '…'}
        </AnchorLink>
        {key?.rotationId && (
          <>
            ,{' '}
            <AnchorLink to="/keys/rotations/$id" params={{ id: key.rotationId }} search={{ q: server.name }}>
              rotating
            </AnchorLink>
          </>
        )}
      </Fact>
      <Fact label="Jump path">
        <JumpPath jumpServerId={server.jumpServerId} />
      </Fact>
      <Fact label="Legacy SSH algorithms">{server.legacyAlgorithms ? 'Allowed' : 'Not allowed'}</Fact>
      <Fact label="Login timeout">
        {server.loginTimeoutSeconds === null ? 'Default' : `${server.loginTimeoutSeconds} s`}
      </Fact>
      <Fact label="Tags">{hasTags ? <Tags tags={server.tags} /> : 'None'}</Fact>
      <Fact label="Status">{server.enabled ? 'Enabled' : 'Disabled'}</Fact>
      <Fact label="Source">
        {server.externalSource === null ? (
          'Runward'
        ) : (
          <Text span className="rw-wrap-anywhere">
            {server.externalSource}, as {server.externalId}
          </Text>
        )}
      </Fact>
      <Fact label="Last changed">
        <RelativeTime at={server.updatedAt} />, registered <RelativeTime at={server.createdAt} />
      </Fact>
    </SimpleGrid>
  );
}
