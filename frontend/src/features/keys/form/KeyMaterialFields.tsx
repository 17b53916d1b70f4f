import { PasswordInput, Select, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { KINDS, type KeyMaterial } from './key-material';

export function KeyMaterialFields<T extends KeyMaterial>({ form }: { form: UseFormReturnType<T> }) {
  if (form.values.origin !== 'import')
    return <Select label="Type" data={KINDS} allowDeselect={false} {...form.getInputProps('kind')} />;
  return (
    <>
      <Textarea
        label="Private key"
        description="OpenSSH or PEM format."
        placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
        withAsterisk
        autosize
        minRows={6}
        maxRows={12}
        spellCheck={false}
        classNames={{ input: 'rw-mono-small' }}
        {...form.getInputProps('privateKey')}
      />
      <PasswordInput
        label="Passphrase"
        description="Only for protected keys. Used once and not stored."
        autoComplete="off"
        {...form.getInputProps('passphrase')}
      />
    </>
  );
}
