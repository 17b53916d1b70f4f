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
        description="Where the servers are afterwards. Their runs, grants and variables are those of that environment then."
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
        description="As key=value; takes the place of another value. Enter after each."
        placeholder="role=web"
        acceptValueOnBlur
        value={form.add}
        onChange={(add) => onChange({ ...form, add })}
        data-autofocus
      />
      <TagsInput
        label="Remove"
        description="Keys, whatever their values are. Enter after each."
        placeholder="legacy"
        acceptValueOnBlur
        value={form.remove}
        onChange={(remove) => onChange({ ...form, remove })}
      />
    </>
  );
}
