import { TagsInput } from '@mantine/core';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import type { BulkForm, BulkKind } from './bulk-text';

interface Props {
  kind: BulkKind;
  form: BulkForm;
  onChange: (form: BulkForm) => void;
}

export function BulkFields({ kind, form, onChange }: Props) {
  if (kind === 'move')
    return (
      <EnvironmentSelect
        label="Environment"
        description="New environment of the servers. Its grants and variables then apply to them."
        placeholder="Choose an environment"
        value={form.environmentId}
        onChange={(environmentId: string | null) => onChange({ ...form, environmentId })}
        data-autofocus
      />
    );
  if (kind !== 'tags') return null;
  return (
    <>
      <TagsInput
        label="Add"
        description="key=value; replaces an existing value. Press Enter after each tag."
        placeholder="role=web"
        acceptValueOnBlur
        value={form.add}
        onChange={(add) => onChange({ ...form, add })}
        data-autofocus
      />
      <TagsInput
        label="Remove"
        description="Keys of tags to remove. Press Enter after each key."
        placeholder="legacy"
        acceptValueOnBlur
        value={form.remove}
        onChange={(remove) => onChange({ ...form, remove })}
      />
    </>
  );
}
