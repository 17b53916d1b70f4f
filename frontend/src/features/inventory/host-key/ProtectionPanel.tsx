import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { missingApproval } from '../../../access/environment-access';
import { Can } from '../../../access/Can';
import { toProblem } from '../../../api/errors';
import { meQuery } from '../../../api/queries/access/session';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { protectionQuery, useSetProtection } from '../../../api/queries/inventory/servers';
import type { Protection, Server } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { OtherServers } from '../../../ui/feedback/OtherServers';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';
import { ConfirmHosts } from '../../../ui/forms/ConfirmHosts';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { protectionReason } from './protection-text';

interface Props {
  server: Pick<Server, 'id' | 'environmentId'>;
}

/** Shows whether runs of other environments are kept off the host. */
export function ProtectionPanel({ server }: Props) {
  const { data, error, refetch } = useQuery(protectionQuery(server.id));
  const confirm = useSetProtection();
  const forget = useSetProtection();
  const [confirmOpen, setConfirmOpen] = useState(false);
  const { data: me } = useQuery(meQuery);
  const environments = useQuery(environmentChoicesQuery);
  const environment = environments.data?.items.find(({ id }) => id === server.environmentId);
  const unless = environment ? missingApproval(me?.role, environment) : null;
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data || isIrrelevant(data)) return null;
  const { state, addresses, protectedBy, provedElsewhere, hiddenServers } = data;
  const shared = addresses.filter((each) => each.shared).map(({ address }) => address);
  return (
    <Paper component="section" aria-label="Protection" p="md">
      <Stack gap="xs">
        <Title order={2} size="h4">
          Protection
        </Title>
        <State protection={data} />
        {state !== 'environment_open' && shared.length > 0 && (
          <Text>Address shared by several machines, so other ports are not protected: {shared.join(', ')}.</Text>
        )}
        {protectedBy.length > 0 && <Text>Runs do not use this server. Its host is protected by:</Text>}
        <OtherServers servers={protectedBy} hidden={provedElsewhere.length > 0 ? 0 : hiddenServers} />
        {provedElsewhere.length > 0 && (
          <Text>Runward signed in to this host earlier for other servers. Their runs can still reach it:</Text>
        )}
        <OtherServers servers={provedElsewhere} hidden={provedElsewhere.length > 0 ? hiddenServers : 0} />
        {confirm.error && <ErrorPanel error={confirm.error} />}
        <ConfirmHosts
          problem={confirm.error && toProblem(confirm.error)}
          pending={confirm.isPending}
          onConfirm={() => confirm.mutate({ id: server.id, confirmed: true, confirmHosts: true })}
        />
        {(state === 'not_proved' || state === 'proved') && (
          <Group>
            <Can role="operator" unless={unless}>
              <Button
                variant="default"
                loading={confirm.isPending}
                onClick={() => confirm.mutate({ id: server.id, confirmed: true })}
              >
                Confirm host
              </Button>
            </Can>
          </Group>
        )}
        {(state === 'proved' || state === 'confirmed') && (
          <Group>
            <Can role="operator" unless={unless}>
              <Button variant="default" color="red" onClick={() => setConfirmOpen(true)}>
                Delete proofs
              </Button>
            </Can>
          </Group>
        )}
        <ConfirmDialog
          opened={confirmOpen}
          title="Delete proofs of this host?"
          confirm="Delete proofs"
          pending={forget.isPending}
          error={forget.error}
          onClose={() => setConfirmOpen(false)}
          onConfirm={() =>
            forget.mutate({ id: server.id, confirmed: false }, { onSuccess: () => setConfirmOpen(false) })
          }
        >
          Deletes proofs by logins and confirmations by approvers. Until the next login proves the host again, runs of
          other environments can reach it.
        </ConfirmDialog>
      </Stack>
    </Paper>
  );
}

const isIrrelevant = ({ state, protectedBy, hiddenServers }: Protection): boolean =>
  state === 'environment_open' && protectedBy.length === 0 && hiddenServers === 0;

function State({ protection }: { protection: Protection }) {
  const { state, since } = protection;
  if (state === 'environment_open') return null;
  if (state === 'not_proved')
    return (
      <Text>
        Not protected yet: runs of other environments can reach this host. Check the server and accept its host key, or
        ask an approver to confirm the host. If Runward never signed in to the host, a confirmation protects only its
        name.
      </Text>
    );
  return (
    <Text>
      Protects this host since {since && <RelativeTime at={since} />}: {protectionReason(protection)}. Only approved
      runs of this environment can reach it.
    </Text>
  );
}
