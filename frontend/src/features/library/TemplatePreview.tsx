import { Alert, Anchor, Code, Group, Paper, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toProblem } from '../../api/errors';
import { serversQuery } from '../../api/queries/inventory/servers';
import { renderedTemplateQuery, type SavedTemplate } from '../../api/queries/library/templates';
import { EnvironmentSelect } from '../../ui/environments/EnvironmentSelect';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../ui/feedback/Skeletons';
import type { BesideEditor } from './form/RecordFields';
import { faultsOf, type Place } from './form/template-places';

/** Pause in typing before the file is rendered again, in ms. */
const DEBOUNCE_MS = 400;

/** Renders the unsaved template for an environment and a server. */
export function TemplatePreview({ saved, content, goTo }: BesideEditor & { saved: SavedTemplate | null }) {
  const [environmentId, setEnvironment] = useState<string | null>(null);
  const [serverId, setServer] = useState<string | null>(null);
  const [debouncedContent] = useDebouncedValue(content, DEBOUNCE_MS);
  const request =
    environmentId === null || (saved === null && debouncedContent === null)
      ? null
      : {
          environmentId,
          ...(debouncedContent === null ? {} : { content: debouncedContent }),
          unknown: 'mark' as const,
          ...(serverId === null ? {} : { serverId }),
        };
  const rendered = useQuery({ ...renderedTemplateQuery(saved, request), placeholderData: keepPreviousData });
  const problem = rendered.error ? toProblem(rendered.error) : null;
  const faults = problem ? faultsOf(problem.errors) : [];
  return (
    <Stack gap="sm" component="section" aria-label="Preview">
      <Group gap="sm" align="flex-start">
        <EnvironmentSelect
          label="Environment"
          placeholder="Choose an environment"
          value={environmentId}
          onChange={(value: string | null) => {
            setEnvironment(value);
            setServer(null);
          }}
        />
        {environmentId !== null && <ServerSelect environmentId={environmentId} value={serverId} onChange={setServer} />}
      </Group>
      <Text size="xs" c="dimmed">
        {sourceOf(saved, content)}, with the variables of the environment and the server. Secrets are masked. Values
        from a plan, a start or an earlier step are missing here.
      </Text>
      {request !== null && !rendered.data && !rendered.error && <RowsSkeleton />}
      {problem &&
        (faults.length > 0 ? (
          <Alert color="red" role="alert" title="The template cannot be rendered">
            {faults.map(({ message, place }) => (
              <Stack key={message} gap={0} mb={4}>
                <Text size="sm" className="rw-wrap-anywhere">
                  {message}
                </Text>
                {place && <PlaceButton place={place} goTo={goTo} />}
              </Stack>
            ))}
          </Alert>
        ) : (
          <ErrorPanel error={problem} onRetry={() => void rendered.refetch()} />
        ))}
      {rendered.data && !problem && (
        <>
          {rendered.data.unknown.length > 0 && (
            <Alert color="yellow" py={8} title="Missing values">
              {rendered.data.unknown.map(({ name, line, column }) => (
                <Group key={name} gap={6}>
                  <Code>{name}</Code>
                  <PlaceButton place={{ line, column }} goTo={goTo} />
                </Group>
              ))}
            </Alert>
          )}
          <Paper p="sm" aria-busy={rendered.isFetching}>
            <Code block tabIndex={0} aria-label="Rendered file" className="rw-pre-wrap">
              {rendered.data.content}
            </Code>
          </Paper>
        </>
      )}
    </Stack>
  );
}

function sourceOf(saved: SavedTemplate | null, content: string | null): string {
  if (content !== null) return 'Current content';
  return saved ? 'Content of the git source at its latest sync' : 'Content of the git source, after saving';
}

function PlaceButton({ place, goTo }: { place: Place; goTo: (place: Place) => void }) {
  return (
    <Anchor component="button" type="button" size="xs" onClick={() => goTo(place)}>
      Line {place.line}, column {place.column}
    </Anchor>
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
