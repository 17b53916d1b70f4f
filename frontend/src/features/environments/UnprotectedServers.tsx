import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconShieldOff } from '@tabler/icons-react';
import { unprotectedQuery } from '../../api/queries/inventory/servers';
import type { Environment } from '../../api/types';
import { plural } from '../../ui/format/format';
import { AnchorLink } from '../../ui/page/links';

export function UnprotectedServers({ environment }: { environment: Environment }) {
  const { data: count = 0 } = useQuery({ ...unprotectedQuery(environment.id), enabled: environment.protected });
  if (!environment.protected || count === 0) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconShieldOff aria-hidden />}
      title={`${plural(count, 'server')} not protected yet`}
      mb="md"
    >
      <Text>
        Runs of other environments can reach these hosts. Check the servers and accept their host keys, or ask an
        approver to confirm the hosts.{' '}
        <AnchorLink to="/servers" search={{ environment: environment.id, protection: 'not_proved' }}>
          Show servers
        </AnchorLink>
      </Text>
    </Alert>
  );
}
