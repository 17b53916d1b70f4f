import { Alert, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconCertificate, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useRemoveCertificate } from '../../../api/queries/inventory/keys';
import type { Certificate, SshKey } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { useNow } from '../../../ui/format/useNow';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';
import { Fact } from '../../../ui/page/Fact';
import { certificateAdvice, needsAttention } from './certificate-state';
import { CertificateBadge } from './CertificateBadge';
import { CertificateDialog } from './CertificateDialog';
import { ActionButton } from '../../../ui/page/ActionButton';

/** Shows the certificate of a key. Logins try it before the plain key. */
export function CertificatePanel({ sshKey }: { sshKey: SshKey }) {
  const { certificate } = sshKey;
  const [replaceDialogOpen, setReplaceDialogOpen] = useState(false);
  const [removeDialogOpen, setRemoveDialogOpen] = useState(false);
  const remove = useRemoveCertificate();
  return (
    <Paper component="section" aria-label="Certificate" p="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Group gap="sm">
            <Title order={2} size="h4">
              Certificate
            </Title>
            {certificate && <CertificateBadge certificate={certificate} />}
          </Group>
          <Group gap="xs">
            <ActionButton role="operator" icon={IconCertificate} onClick={() => setReplaceDialogOpen(true)}>
              {certificate ? 'Replace certificate' : 'Add certificate'}
            </ActionButton>
            {certificate && (
              <ActionButton
                role="operator"
                icon={IconTrash}
                c="var(--mantine-color-error)"
                onClick={() => {
                  remove.reset();
                  setRemoveDialogOpen(true);
                }}
              >
                Remove
              </ActionButton>
            )}
          </Group>
        </Group>
        {certificate ? (
          <CertificateFacts certificate={certificate} />
        ) : (
          <Text c="dimmed">
            If your hosts trust a certificate authority, sign this public key and add the certificate here. Runward then
            signs in with it.
          </Text>
        )}
      </Stack>
      {replaceDialogOpen && <CertificateDialog sshKey={sshKey} onClose={() => setReplaceDialogOpen(false)} />}
      <ConfirmDialog
        opened={removeDialogOpen}
        title={`Remove the certificate of ${sshKey.name}?`}
        confirm="Remove certificate"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(sshKey, { onSuccess: () => setRemoveDialogOpen(false) })}
        onClose={() => setRemoveDialogOpen(false)}
      >
        Runward then signs in with the plain key. Hosts that trust only the authority refuse it.
      </ConfirmDialog>
    </Paper>
  );
}

function CertificateFacts({ certificate }: { certificate: Certificate }) {
  const now = useNow();
  const { keyId, serial, principals, validFrom, validUntil, caFingerprint } = certificate;
  const advice = certificateAdvice(certificate, now);
  return (
    <>
      {needsAttention(certificate, now) ? (
        <Alert color="yellow" py="xs">
          {advice}
        </Alert>
      ) : (
        <Text c="dimmed">{advice}</Text>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Fact label="ID">
          <Text span className="rw-wrap-anywhere">
            {keyId === '' ? 'None' : keyId}
          </Text>
        </Fact>
        <Fact label="Serial">{serial}</Fact>
        <Fact label="Principals">
          <Text span className="rw-wrap-anywhere">
            {principals.length === 0 ? 'Any that the host allows' : principals.join(', ')}
          </Text>
        </Fact>
        <Fact label="Valid">
          {validFrom === null ? 'Always' : <RelativeTime at={validFrom} />}
          {' – '}
          {validUntil === null ? 'no expiry' : <RelativeTime at={validUntil} />}
        </Fact>
      </SimpleGrid>
      <Fact label="Certificate authority">
        <span className="rw-mono rw-wrap-anywhere">{caFingerprint}</span>
      </Fact>
    </>
  );
}
