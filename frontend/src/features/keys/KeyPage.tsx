import { Alert, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPencil, IconRotate } from '@tabler/icons-react';
import { keyQuery } from '../../api/queries/inventory/keys';
import type { SshKey } from '../../api/types';
import { CopyButton } from '../../ui/copy/CopyButton';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { Fact } from '../../ui/page/Fact';
import { AnchorLink } from '../../ui/page/links';
import { HistoryLink } from '../../ui/page/HistoryLink';
import { PageHeader } from '../../ui/page/PageHeader';
import { CertificatePanel } from './certificate/CertificatePanel';
import { authorizeCommand } from './form/authorize-command';
import { RenameKeyDialog } from './form/RenameKeyDialog';
import { notRotatable } from './rotation/not-rotatable';
import { RotateDialog } from './rotation/RotateDialog';
import { RotationsTable } from './rotation/RotationsTable';
import { ActionButton } from '../../ui/page/ActionButton';
import { UnloadedPage } from '../../ui/page/UnloadedPage';

const route = getRouteApi('/app/keys/$id');

export function KeyPage() {
  const { id } = route.useParams();
  const key = useQuery(keyQuery(id));
  if (key.data) return <KeyView key={id} sshKey={key.data} />;
  return <UnloadedPage title="SSH key" query={key} />;
}

function KeyView({ sshKey }: { sshKey: SshKey }) {
  const { open } = route.useSearch();
  const navigate = useNavigate({ from: '/keys/$id' });
  const show = (what: 'rotate' | 'rename' | undefined) =>
    void navigate({ search: what ? { open: what } : {}, replace: what === undefined });
  const close = () => show(undefined);
  const { name, type, rotationId } = sshKey;
  const unless = notRotatable(sshKey);
  return (
    <>
      <PageHeader
        title={name}
        above={
          <AnchorLink to="/keys" size="xs">
            SSH keys
          </AnchorLink>
        }
        description={type}
        actions={
          <>
            <ActionButton
              role="operator"
              unless={unless}
              icon={IconRotate}
              variant="filled"
              onClick={() => show('rotate')}
            >
              Rotate
            </ActionButton>
            <ActionButton role="operator" icon={IconPencil} onClick={() => show('rename')}>
              Rename
            </ActionButton>
            <HistoryLink id={sshKey.id} />
          </>
        }
      />
      <Stack gap="md">
        {rotationId !== null && (
          <Alert color="blue" icon={<IconRotate aria-hidden />} py="xs">
            This key is being rotated.{' '}
            <AnchorLink to="/keys/rotations/$id" params={{ id: rotationId }} search={{}} underline="always">
              Show rotation
            </AnchorLink>
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <PublicKeyPanel sshKey={sshKey} />
          <CertificatePanel sshKey={sshKey} />
        </SimpleGrid>
        <section aria-label="Rotations">
          <Title order={2} size="h4" mb="xs">
            Rotations
          </Title>
          <RotationsTable sshKeyId={sshKey.id} />
        </section>
      </Stack>
      {open === 'rotate' && <RotateDialog sshKey={sshKey} onClose={close} />}
      {open === 'rename' && <RenameKeyDialog sshKey={sshKey} onClose={close} />}
    </>
  );
}

function PublicKeyPanel({ sshKey }: { sshKey: SshKey }) {
  const { publicKey, fingerprint, usedBy, usedByCount, lastUsedAt, createdAt } = sshKey;
  return (
    <Paper component="section" aria-label="Key" p="md">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Key
        </Title>
        <Fact label="Fingerprint">
          <span className="rw-mono rw-wrap-anywhere">{fingerprint}</span>
        </Fact>
        <Fact label="Public key">
          <CopyButton value={publicKey} what="public key">
            Copy public key
          </CopyButton>{' '}
          <CopyButton value={authorizeCommand(publicKey)} what="command">
            Copy command for authorized_keys
          </CopyButton>
        </Fact>
        <Fact label={`Used by (${usedByCount.toLocaleString('en')})`}>
          {usedByCount === 0 && 'No server that you can view'}
          {usedBy.map(({ id, name }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <AnchorLink to="/servers/$id" params={{ id }}>
                {name}
              </AnchorLink>
            </span>
          ))}
          {usedByCount > usedBy.length && ` and ${(usedByCount - usedBy.length).toLocaleString('en')} more`}
        </Fact>
        <SimpleGrid cols={2} spacing="sm">
          <Fact label="Last used">
            <RelativeTime at={lastUsedAt} never="Never" />
          </Fact>
          <Fact label="Created">
            <Text span>
              <RelativeTime at={createdAt} />
            </Text>
          </Fact>
        </SimpleGrid>
      </Stack>
    </Paper>
  );
}
