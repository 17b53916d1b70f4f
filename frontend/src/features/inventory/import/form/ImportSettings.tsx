import { Checkbox, Select, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { keyChoicesQuery } from '../../../../api/queries/inventory/keys';
import type { ImportFormat } from '../../../../api/types';
import { EnvironmentSelect } from '../../../../ui/environments/EnvironmentSelect';
import { FORMAT_CHOICES, formatMeaning } from './formats';
import type { ImportForm } from './import-form';
import { PruneFields } from './PruneFields';

const ERROR_BELOW_INPUT = ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[];

export function ImportSettings({ form }: { form: UseFormReturnType<ImportForm> }) {
  const keys = useQuery(keyChoicesQuery);
  const { format } = form.values;
  return (
    <Stack gap="sm">
      <Select
        label="Format"
        withAsterisk
        placeholder="Detected from the text or file name"
        data={FORMAT_CHOICES}
        description={format === null ? undefined : formatMeaning(format)}
        inputWrapperOrder={ERROR_BELOW_INPUT}
        allowDeselect={false}
        maxDropdownHeight={380}
        renderOption={({ option }) => (
          <div>
            {option.label}
            <Text size="xs" c="dimmed">
              {formatMeaning(option.value as ImportFormat)}
            </Text>
          </div>
        )}
        {...form.getInputProps('format')}
        onChange={(value) => form.setValues({ format: value as ImportFormat, formatChosen: true })}
      />
      <EnvironmentSelect
        label="Environment"
        withAsterisk
        placeholder="Choose an environment"
        {...form.getInputProps('environmentId')}
      />
      <Select
        label="SSH key for new servers"
        description="Existing servers keep their key."
        inputWrapperOrder={ERROR_BELOW_INPUT}
        data={(keys.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        placeholder={keys.data?.items.length === 0 ? 'No keys yet. Create one under SSH keys.' : 'Choose an SSH key'}
        error={keys.error ? 'The keys could not be loaded.' : undefined}
        clearable
        searchable={(keys.data?.items.length ?? 0) > 8}
        {...form.getInputProps('sshKeyId')}
      />
      <TextInput
        label="User name for new servers"
        description="Used for servers without a user in the text."
        inputWrapperOrder={ERROR_BELOW_INPUT}
        placeholder="deploy"
        autoComplete="off"
        {...form.getInputProps('username')}
      />
      <TextInput
        label="Source"
        description="System that the text comes from. With a source, servers are matched by their external ID, even after a rename. Without one, they are matched by name."
        inputWrapperOrder={ERROR_BELOW_INPUT}
        placeholder="netbox"
        autoComplete="off"
        {...form.getInputProps('source')}
      />
      <Checkbox
        label="Skip servers that cannot be imported"
        description="For example a second server with the same address and login. The import lists skipped servers. Otherwise one invalid server stops the import."
        {...form.getInputProps('skipFaulty', { type: 'checkbox' })}
      />
      {form.values.source.trim() !== '' && <PruneFields form={form} />}
    </Stack>
  );
}
