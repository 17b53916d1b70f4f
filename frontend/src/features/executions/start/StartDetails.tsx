import { Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { labelsFault } from '../../../ui/runs/labels';
import { LabelsInput } from '../../../ui/runs/LabelsInput';
import type { StartForm } from './start-request';

interface Props {
  form: UseFormReturnType<StartForm>;
  exact: boolean;
}

/** Hosts, note and labels of a start. */
export function StartDetails({ form, exact }: Props) {
  const { labels } = form.values;
  return (
    <>
      <TextInput
        label="Limit hosts"
        description="Selector within the hosts of the plan, such as role=web,region in (eu, us) or name=web-*"
        placeholder="All hosts of the plan"
        readOnly={exact}
        classNames={{ input: 'rw-mono-family' }}
        {...form.getInputProps('targets')}
      />
      <Textarea
        label="Note"
        description="Reason for the run, shown in lists."
        autosize
        minRows={1}
        maxRows={4}
        {...form.getInputProps('note')}
      />
      <LabelsInput
        label="Labels"
        description="key=value, for finding the run. Press Enter after each label."
        {...form.getInputProps('labels')}
        error={labelsFault(labels) ?? form.errors.labels}
      />
    </>
  );
}
