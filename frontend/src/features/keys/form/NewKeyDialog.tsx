import { Code, Group, Stack, Text } from '@mantine/core';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { useState } from 'react';
import type { CreatedSshKey } from '../../../api/types';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { SecretOnce } from '../../../ui/copy/SecretOnce';
import { authorizeCommand } from './authorize-command';
import { NewKeyForm } from './NewKeyForm';

/**
 * Generates or imports a key. The dialog can't be closed by accident, because a generated private key is shown only
 * once.
 */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const [createdKey, setCreatedKey] = useState<(CreatedSshKey & { privateKey: string }) | null>(null);
  const onCreated = ({ privateKey, ...key }: CreatedSshKey) =>
    privateKey === undefined ? onClose() : setCreatedKey({ ...key, privateKey });
  return (
    <FormModal
      opened
      onClose={onClose}
      title={createdKey ? `Key ${createdKey.name}` : 'New SSH key'}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={createdKey === null}
      withCloseButton={createdKey === null}
    >
      {createdKey ? (
        <SecretOnce
          what="private key"
          value={createdKey.privateKey}
          fileName={createdKey.name.replaceAll(/[^\w.-]+/g, '-')}
          onDone={onClose}
        >
          <Stack gap={6}>
            <Text>
              Runward stores the key and signs in with it. You need a copy only as a backup. Authorize the public key on
              each server:
            </Text>
            <Code block tabIndex={0}>
              {authorizeCommand(createdKey.publicKey)}
            </Code>
            <Group>
              <CopyButton value={authorizeCommand(createdKey.publicKey)} what="command">
                Copy command
              </CopyButton>
            </Group>
          </Stack>
        </SecretOnce>
      ) : (
        <NewKeyForm onCreated={onCreated} onClose={onClose} />
      )}
    </FormModal>
  );
}
