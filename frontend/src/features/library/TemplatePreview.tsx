import { Code, Group, Paper, Select, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { serversQuery } from '../../api/queries/inventory/servers';
import { renderedTemplateQuery } from '../../api/queries/library/templates';
import type { Template } from '../../api/types';
import { EnvironmentSelect } from '../../ui/environments/EnvironmentSelect';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../ui/feedback/Skeletons';

/** The saved template, rendered for an environment. */
export function TemplatePreview({ template }: { template: Template }) {
  const [environmentId, setEnvironment] = useState<string | null>(null);
  const [serverId, setServer] = useState<string | null>(null);
  const request = environmentId === null ? null : { environmentId, ...(serverId === null ? {} : { serverId }) };
  const rendered = useQuery(renderedTemplateQuery(template.id, template.version, request));
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-start">
        <EnvironmentSelect
          label="Environment"
          placeholder="Choose one"
          value={environmentId}
          onChange={(value: string | null) => {
            setEnvironment(value);
            setServer(null);
          }}
        />
        {environmentId !== null && <ServerSelect environmentId={environmentId} value={serverId} onChange={setServer} />}
      </Group>
      <Text size="xs" c="dimmed">
        With the variables of the environment, of the revision that is saved. Secrets are masked, and what only a plan,
        a start or an earlier step gives is not known here.
      </Text>
      {request !== null && !rendered.data && !rendered.error && <RowsSkeleton />}
      {rendered.error && <ErrorPanel error={rendered.error} onRetry={() => void rendered.refetch()} />}
      {rendered.data && !rendered.error && (
        <Paper p="sm">
          <Code
            block
            tabIndex={0}
            aria-label="Rendered file"
            style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          >
            {rendered.data.content}
          </Code>
        </Paper>
      )}
    </Stack>
  );
}

interface ServerSelectProps {
  environmentId: string;
  value: string | null;
  onChange: (id: string | null) => void;
}

function ServerSelect({ environmentId, value, onChange }: ServerSelectProps) {
  const servers = useInfiniteQuery(serversQuery({ environmentId }));
  const items = servers.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Select
      label="Server"
      placeholder="None"
      data={items.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      searchable
      clearable
      error={servers.error ? 'The servers could not be loaded.' : undefined}
    />
  );
}
