import { PasswordInput, Select, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { KINDS, type KeyMaterial } from './key-material';

/** What is generated, or the key that is imported. */
export function KeyMaterialFields<T extends KeyMaterial>({ form }: { form: UseFormReturnType<T> }) {
  if (form.values.way !== 'import')
    return <Select label="Type" data={KINDS} allowDeselect={false} {...form.getInputProps('kind')} />;
  return (
    <>
      <Textarea
        label="Private key"
        description="In OpenSSH or PEM form."
        placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
        withAsterisk
        autosize
        minRows={6}
        maxRows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12px' } }}
        {...form.getInputProps('privateKey')}
      />
      <PasswordInput
        label="Passphrase"
        description="If the key is protected with one. It is used once and not kept."
        autoComplete="off"
        {...form.getInputProps('passphrase')}
      />
    </>
  );
}
