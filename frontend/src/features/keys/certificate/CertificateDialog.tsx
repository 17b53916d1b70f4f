import { Code, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { usePutCertificate } from '../../../api/queries/inventory/keys';
import type { SshKey } from '../../../api/types';
import { DialogActions } from '../../../ui/dialogs/DialogActions';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { showErrorOnForm } from '../../../ui/forms/form-errors';

export function CertificateDialog({ sshKey, onClose }: { sshKey: SshKey; onClose: () => void }) {
  const put = usePutCertificate();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: { certificate: '' } });
  const submit = form.onSubmit(({ certificate }) => {
    setProblem(null);
    put.mutate(
      { sshKey, certificate: certificate.trim() },
      {
        onSuccess: onClose,
        onError: (error) => setProblem(showErrorOnForm(form, error, (path) => path === 'certificate')),
      },
    );
  });
  return (
    <FormModal opened onClose={onClose} title={`Certificate of ${sshKey.name}`} size="lg">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text>
            Save the public key as a file and sign it with your certificate authority for the required principals:
          </Text>
          <Code block tabIndex={0}>
            ssh-keygen -s user_ca -I {'"runward"'} -n deploy -V +52w key.pub
          </Code>
          <Textarea
            label="Certificate"
            description="Content of the -cert.pub file."
            placeholder={`ssh-${sshKey.type}-cert-v01@openssh.com AAAA…`}
            withAsterisk
            data-autofocus
            autosize
            minRows={4}
            maxRows={10}
            spellCheck={false}
            classNames={{ input: 'rw-mono-small' }}
            {...form.getInputProps('certificate')}
          />
          <FormErrors problem={problem} />
          <DialogActions onClose={onClose} pending={put.isPending}>
            {sshKey.certificate ? 'Replace certificate' : 'Add certificate'}
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
