import { Group, Menu, Stack, Text } from '@mantine/core';
import { IconRotate } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Can } from '../../access/Can';
import type { SshKey } from '../../api/types';
import { CopyButton } from '../../ui/copy/CopyButton';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { AnchorLink } from '../../ui/page/links';
import { type Column, DataTable, type ListState } from '../../ui/tables/DataTable';
import { RowActions } from '../../ui/tables/RowActions';
import { CertificateBadge } from './certificate/CertificateBadge';
import { authorizeCommand } from './form/authorize-command';
import { notRotatable } from './rotation/not-rotatable';

interface Props {
  list: ListState<SshKey>;
  empty: ReactNode;
  onRename: (key: SshKey) => void;
  onRotate: (key: SshKey) => void;
  onDelete: (key: SshKey) => void;
}

export function KeyTable({ list, empty, onRename, onRotate, onDelete }: Props) {
  const columns: Column<SshKey>[] = [
    {
      key: 'name',
      title: 'Name',
      render: (key) => (
        <Stack gap={2} align="flex-start">
          <AnchorLink to="/keys/$id" params={{ id: key.id }} fw={550} c="inherit" className="rw-wrap-anywhere">
            {key.name}
          </AnchorLink>
          <Text size="xs" c="dimmed">
            {key.type}
          </Text>
          {key.certificate && <CertificateBadge certificate={key.certificate} prefix="Certificate" />}
          {key.rotationId !== null && (
            <AnchorLink to="/keys/rotations/$id" params={{ id: key.rotationId }} search={{}} size="xs">
              Rotating
            </AnchorLink>
          )}
        </Stack>
      ),
    },
    {
      key: 'fingerprint',
      title: 'Fingerprint',
      from: 'md',
      render: ({ fingerprint }) => <span className="rw-mono rw-wrap-anywhere">{fingerprint}</span>,
    },
    {
      key: 'public',
      title: 'Public key',
      width: 240,
      render: (key) => (
        <Group gap={6} wrap="nowrap">
          <CopyButton value={key.publicKey} what={`public key of ${key.name}`} />
          <CopyButton value={authorizeCommand(key.publicKey)} what="command">
            authorized_keys
          </CopyButton>
        </Group>
      ),
    },
    { key: 'used', title: 'Used by', from: 'sm', width: 190, render: (key) => <UsedBy sshKey={key} /> },
    {
      key: 'last',
      title: 'Last used',
      from: 'lg',
      width: 120,
      render: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} never="Never" />,
    },
    {
      key: 'actions',
      title: '',
      width: 60,
      align: 'right',
      render: (key) => (
        <RowActions
          label={`Actions for ${key.name}`}
          editWord="Rename"
          onEdit={() => onRename(key)}
          onDelete={() => onDelete(key)}
        >
          <Can role="operator" unless={notRotatable(key)}>
            <Menu.Item leftSection={<IconRotate size={15} aria-hidden />} onClick={() => onRotate(key)}>
              Rotate
            </Menu.Item>
          </Can>
        </RowActions>
      ),
    },
  ];
  return <DataTable label="SSH keys" list={list} columns={columns} rowKey={({ id }) => id} empty={empty} />;
}

function UsedBy({ sshKey }: { sshKey: SshKey }) {
  const { usedBy, usedByCount } = sshKey;
  if (usedByCount === 0) return <Text c="dimmed">No servers</Text>;
  const named = usedBy.slice(0, 3).map(({ name }) => name);
  return (
    <Text lineClamp={2}>
      {named.join(', ')}
      {usedByCount > named.length && ` and ${usedByCount - named.length} more`}
    </Text>
  );
}
