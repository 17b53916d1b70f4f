import { Radio, Select, Stack, Textarea } from '@mantine/core';
import type { Execution } from '../../../api/types';
import { RUN_MODES } from '../../../api/lists';
import { MODE_NAMES } from '../../../ui/runs/modes';
import type { RerunForm } from './rerun-form';

interface Props {
  run: Execution;
  form: RerunForm;
  onChange: (change: Partial<RerunForm>) => void;
}

export function RerunFields({ run, form, onChange }: Props) {
  const unfinished = form.hosts === 'unfinished';
  return (
    <>
      <Select
        label="From step"
        description="Earlier steps are not rerun. Their results are kept."
        data={[
          { value: '', label: unfinished ? 'First unfinished step of each host' : 'First step' },
          ...run.steps.slice(unfinished ? 0 : 1).map(({ key, name }) => ({ value: key, label: name })),
        ]}
        value={form.fromStepKey ?? ''}
        onChange={(fromStepKey) => onChange({ fromStepKey: fromStepKey || null, acceptGaps: false })}
        allowDeselect={false}
      />
      <Radio.Group
        label="Content"
        value={form.snapshot}
        onChange={(snapshot) => onChange({ snapshot, acceptGaps: false })}
      >
        <Stack gap={8} mt={6}>
          <Radio
            value="same"
            label="Same content"
            description={`Revision ${run.planRevision} with the values and hosts of this run.`}
          />
          <Radio
            value="current"
            label="Current content"
            description="Latest revision of the plan, with current variables and servers."
          />
        </Stack>
      </Radio.Group>
      <Select
        label="Mode"
        data={RUN_MODES.map((mode) => ({ value: mode, label: MODE_NAMES[mode] }))}
        value={form.mode}
        onChange={(mode) => mode && onChange({ mode })}
        allowDeselect={false}
      />
      <Textarea
        label="Note"
        description="Reason for the run, shown in lists."
        value={form.note}
        onChange={(event) => onChange({ note: event.currentTarget.value })}
        autosize
        minRows={1}
        maxRows={4}
        maxLength={2000}
      />
    </>
  );
}
