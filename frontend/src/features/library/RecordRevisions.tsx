import { Accordion, Badge, Button, Code, Group, Paper, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { LibraryRevision } from '../../api/queries/library/library-queries';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { RowsSkeleton } from '../../ui/feedback/Skeletons';

interface Props {
  /** Undefined while they load. */
  revisions: LibraryRevision[] | undefined;
  error: unknown;
  onRetry: () => void;
  more: { has: boolean; pending: boolean; load: () => void };
  /** Number of the revision that is open. */
  open: number | undefined;
  onOpen: (number: number | undefined) => void;
  content: (number: number) => ReactNode;
}

export function RecordRevisions({ revisions, error, onRetry, more, open, onOpen, content }: Props) {
  if (!revisions) return error ? <ErrorPanel error={error} onRetry={onRetry} /> : <RowsSkeleton />;
  return (
    <Stack gap="sm">
      <Paper>
        <Accordion
          value={open === undefined ? null : String(open)}
          onChange={(value) => onOpen(value === null ? undefined : Number(value))}
          order={2}
        >
          {revisions.map((item) => (
            <Accordion.Item key={item.id} value={String(item.number)}>
              <Accordion.Control>
                <Group gap="sm">
                  <Badge variant="light" tt="none">
                    Revision {item.number}
                  </Badge>
                  {item.interpreter && <Code>{item.interpreter}</Code>}
                  <Text>{item.bytes} bytes</Text>
                  <Text c="dimmed" component="span">
                    {item.createdByName}, <RelativeTime at={item.createdAt} />
                  </Text>
                </Group>
              </Accordion.Control>
              <Accordion.Panel>{open === item.number && content(item.number)}</Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      </Paper>
      {more.has && (
        <Button variant="default" loading={more.pending} onClick={more.load} style={{ alignSelf: 'center' }}>
          Load more
        </Button>
      )}
    </Stack>
  );
}

export function RevisionContent({ query }: { query: UseQueryResult<{ content: string }> }) {
  const { data, error, refetch } = query;
  if (!data) return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <RowsSkeleton />;
  return (
    <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {data.content}
    </Code>
  );
}
