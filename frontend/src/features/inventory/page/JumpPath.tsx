import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { serverQuery } from '../../../api/queries/inventory/servers';
import { AnchorLink } from '../../../ui/page/links';

/** Jump path of a server, nearest to Runward first. A path has at most three jump servers. */
export function JumpPath({ jumpServerId }: { jumpServerId: string | null }) {
  if (jumpServerId === null) return 'None (direct connection)';
  return (
    <Group gap={6}>
      <Jump id={jumpServerId} />
    </Group>
  );
}

function Jump({ id }: { id: string }) {
  const { data, error } = useQuery(serverQuery(id));
  if (error) return <Text c="dimmed">a server that you cannot view</Text>;
  if (!data) return '…';
  return (
    <>
      {data.jumpServerId !== null && (
        <>
          <Jump id={data.jumpServerId} />
          <span aria-hidden>→</span>
        </>
      )}
      <AnchorLink to="/servers/$id" params={{ id }}>
        {data.name}
      </AnchorLink>
    </>
  );
}
