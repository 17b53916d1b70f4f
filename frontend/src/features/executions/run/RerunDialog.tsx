import { Button, Group, Radio, Select, Stack, Textarea } from '@mantine/core';
import { FormModal } from '../../../ui/FormOverlay';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { toProblem } from '../../../api/errors';
import { useRerun } from '../../../api/queries/steering';
import type { Execution } from '../../../api/types';
import { ErrorPanel } from '../../../ui/ErrorPanel';
import { plural } from '../../../ui/format';
import { useIdempotencyKey } from '../../../ui/useIdempotencyKey';
import { OverlapNotice } from '../start/OverlapNotice';
import { initialRerun, toRerunRequest } from './rerun-form';
import { MODE_NAMES, MODES } from './run-words';

interface Props {
  run: Execution;
  which: 'all' | 'failed';
  /** How many hosts these are. */
  count: number;
  onClose: () => void;
}

export function RerunDialog({ run, which, count, onClose }: Props) {
  const navigate = useNavigate();
  const rerun = useRerun(run.id);
  const attempt = useIdempotencyKey();
  const [form, setForm] = useState(() => initialRerun(run, which));
  const set = (change: Partial<typeof form>) => setForm((before) => ({ ...before, ...change }));
  const submit = () => {
    const body = toRerunRequest(run, form);
    rerun.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: ({ id }) => void navigate({ to: '/executions/$id', params: { id } }),
        onError: (error) => attempt.refused(error),
      },
    );
  };
  const problem = rerun.error ? toProblem(rerun.error) : null;
  return (
    <FormModal
      opened
      onClose={onClose}
      closeOnClickOutside={false}
      title={`Run again on ${plural(count, 'host')}${which === 'failed' ? ' that did not succeed' : ''}`}
    >
      <Stack gap="md">
        <Select
          label="From step"
          description="The steps before it are left out."
          data={run.steps.map(({ key, name }) => ({ value: key, label: name }))}
          value={form.fromStepKey ?? run.steps[0]?.key ?? null}
          onChange={(fromStepKey) => set({ fromStepKey })}
          allowDeselect={false}
        />
        <Radio.Group label="What runs" value={form.snapshot} onChange={(snapshot) => set({ snapshot })}>
          <Stack gap={8} mt={6}>
            <Radio
              value="same"
              label="The same"
              description={`Revision ${run.planRevision} with the values and hosts that this run froze.`}
            />
            <Radio
              value="current"
              label="As things are now"
              description="The plan, the environment’s variables and the servers in their present state."
            />
          </Stack>
        </Radio.Group>
        <Select
          label="Mode"
          data={MODES.map((mode) => ({ value: mode, label: MODE_NAMES[mode] }))}
          value={form.mode}
          onChange={(mode) => mode && set({ mode })}
          allowDeselect={false}
        />
        <Textarea
          label="Note"
          description="Why this run; shown in lists."
          value={form.note}
          onChange={(event) => set({ note: event.currentTarget.value })}
          autosize
          minRows={1}
          maxRows={4}
          maxLength={2000}
        />
        {problem?.code === 'run_overlap' ? (
          <OverlapNotice problem={problem} />
        ) : (
          problem && <ErrorPanel error={problem} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={rerun.isPending}>
            Back
          </Button>
          <Button loading={rerun.isPending} onClick={submit}>
            Run again
          </Button>
        </Group>
      </Stack>
    </FormModal>
  );
}
