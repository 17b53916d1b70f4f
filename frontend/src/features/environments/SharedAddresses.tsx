import { ActionIcon, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { sharedAddressesQuery, useShareAddress } from '../../api/queries/inventory/servers';
import type { SharedAddress } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { RelativeTime } from '../../ui/format/RelativeTime';

export function SharedAddresses() {
  const { data, error, refetch } = useQuery(sharedAddressesQuery);
  const share = useShareAddress();
  const [address, setAddress] = useState('');
  const [reason, setReason] = useState('');
  const mark = (event: FormEvent) => {
    event.preventDefault();
    share.mutate(
      { address: address.trim(), reason: reason.trim() },
      {
        onSuccess: () => {
          setAddress('');
          setReason('');
        },
      },
    );
  };
  return (
    <Paper component="section" aria-label="Shared addresses" p="md">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Shared addresses
        </Title>
        <Text c="dimmed">
          A server of a protected environment protects all ports of its address. If a gateway forwards ports of one
          address to several machines, add the address here. Runward then treats each port as a separate machine, in all
          environments.
        </Text>
        {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
        {data?.items.map((each) => (
          <Item
            key={each.address}
            item={each}
            pending={share.isPending}
            onRemove={() => share.mutate({ address: each.address, reason: null })}
          />
        ))}
        <form onSubmit={mark}>
          <Group gap="xs" align="flex-end">
            <TextInput
              label="Address or host name"
              placeholder="203.0.113.7"
              value={address}
              maxLength={253}
              onChange={(event) => setAddress(event.currentTarget.value)}
            />
            <TextInput
              label="Reason"
              placeholder="NAT gateway, one port per host"
              value={reason}
              maxLength={1000}
              onChange={(event) => setReason(event.currentTarget.value)}
              flex={1}
              miw={200}
            />
            <Button
              type="submit"
              variant="default"
              loading={share.isPending}
              disabled={address.trim() === '' || reason.trim() === ''}
            >
              Add shared address
            </Button>
          </Group>
        </form>
        {share.error && <ErrorPanel error={share.error} />}
      </Stack>
    </Paper>
  );
}

function Item({ item, pending, onRemove }: { item: SharedAddress; pending: boolean; onRemove: () => void }) {
  const { address, reason, markedBy, markedAt } = item;
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <Stack gap={0} miw={0}>
        <Text className="rw-mono rw-wrap-anywhere">{address}</Text>
        <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
          {reason}, {markedBy?.name} <RelativeTime at={markedAt} />
        </Text>
      </Stack>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Remove shared address ${address}`}
        disabled={pending}
        onClick={onRemove}
      >
        <IconTrash size={15} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
