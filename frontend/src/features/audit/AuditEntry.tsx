import { Box, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { auditEntryQuery } from '../../api/queries/access/audit';
import type { AuditLog } from '../../api/types';
import { CopyButton } from '../../ui/copy/CopyButton';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { exactTime } from '../../ui/format/format';
import { AnchorLink } from '../../ui/page/links';
import { RowsSkeleton } from '../../ui/feedback/Skeletons';
import { Actor } from './Actor';
import { Changes } from './Changes';
import { FormDrawer } from '../../ui/forms/FormOverlay';

interface Props {
  id: string;
  /** ISO 8601. */
  at: string;
  onClose: () => void;
}

export function AuditEntry({ id, at, onClose }: Props) {
  const entry = useQuery(auditEntryQuery(id, at));
  return (
    <FormDrawer opened onClose={onClose} title={entry.data?.action ?? 'Audit entry'} size="xl">
      {entry.data ? (
        <Details entry={entry.data} />
      ) : entry.error ? (
        <ErrorPanel error={entry.error} onRetry={() => void entry.refetch()} />
      ) : entry.data === null ? (
        <Text>No entry with this ID and time. The link may be incomplete.</Text>
      ) : (
        <RowsSkeleton />
      )}
    </FormDrawer>
  );
}

function Details({ entry }: { entry: AuditLog }) {
  const { resourceId, resourceName, resourceType, requestId, actor } = entry;
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
        <Detail label="When">{exactTime(entry.at)}</Detail>
        <Detail label="Entry">{entry.sequence.toLocaleString('en')}</Detail>
        <Detail label="Actor">
          <Actor actor={actor} />
          {actor.id && (
            <AnchorLink to="/audit" search={{ actor: actor.id }} size="xs">
              All their entries
            </AnchorLink>
          )}
        </Detail>
        <Detail label="Address">
          <span className="rw-mono">{actor.address ?? '–'}</span>
        </Detail>
        <Detail label={`On ${resourceType}`}>
          <Text className="rw-wrap-anywhere">{resourceName ?? '–'}</Text>
          {resourceId && (
            <AnchorLink to="/audit" search={{ resource: resourceId }} size="xs">
              All entries of this record
            </AnchorLink>
          )}
        </Detail>
        <Detail label="Request ID">{requestId ? <CopyableValue value={requestId} what="request ID" /> : '–'}</Detail>
      </SimpleGrid>
      <Changes before={entry.before} after={entry.after} />
      <Detail label="Hash in the chain">
        <CopyableValue value={entry.hash} what="hash" />
      </Detail>
    </Stack>
  );
}

function Detail({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <Box miw={0}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="div">{children}</Text>
    </Box>
  );
}

function CopyableValue({ value, what }: { value: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code className="rw-wrap-anywhere">{value}</Code>
      <CopyButton value={value} what={what} />
    </Group>
  );
}
