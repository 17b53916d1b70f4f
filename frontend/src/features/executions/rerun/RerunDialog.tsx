import { Button, Group, Radio, Select, Stack, Textarea } from '@mantine/core';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { toProblem } from '../../../api/errors';
import { refreshFreezes } from '../../../api/queries/plans/collections';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { planQuery } from '../../../api/queries/plans/plans';
import { rerunPreviewQuery, useRerun } from '../../../api/queries/runs/steering';
import type { Execution } from '../../../api/types';
import { freezeObstacle } from '../../../ui/collections/freeze';
import { FreezeOverride } from '../../../ui/collections/FreezeOverride';
import { useFreeze } from '../../../ui/collections/useFreeze';
import { closedWindow, windowObstacle, windowOverrideField } from '../../../ui/environments/run-window';
import { WindowOverride } from '../../../ui/environments/WindowOverride';
import { useNow } from '../../../ui/format/useNow';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { AuthorsNotice } from '../conflicts/AuthorsNotice';
import { OverlapNotice } from '../conflicts/OverlapNotice';
import { RerunEffects } from './RerunEffects';
import { initialRerun, type RerunHosts, toRerunRequest } from './rerun-form';
import { MODE_NAMES, MODES } from '../../../ui/runs/modes';

interface Props {
  run: Execution;
  which: RerunHosts;
  onClose: () => void;
}

const TITLES: Record<RerunHosts, string> = {
  all: 'Rerun on all hosts',
  failed: 'Rerun on failed hosts',
  unfinished: 'Rerun unfinished steps',
};

export function RerunDialog({ run, which, onClose }: Props) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const rerun = useRerun(run.id);
  const attempt = useIdempotencyKey();
  const [form, setForm] = useState(() => initialRerun(run, which));
  const set = (change: Partial<typeof form>) => setForm((before) => ({ ...before, ...change }));
  const { acceptGaps: _, note: __, ...request } = toRerunRequest(run, form);
  const preview = useQuery(rerunPreviewQuery(run.id, request));
  const freeze = useFreeze(useQuery(planQuery(run.planId)).data?.frozenBy ?? null);
  const environments = useQuery(environmentChoicesQuery).data?.items ?? [];
  const closed = closedWindow(
    environments.find(({ id }) => id === run.environmentId),
    useNow(),
  );
  const [windowReason, setWindowReason] = useState<string | null>(null);
  const obstacle = freezeObstacle(freeze, form.mode, form.override) ?? windowObstacle(closed, form.mode, windowReason);
  const submit = (more: { onOverlap?: 'queue'; acceptAuthors?: string } = {}) => {
    if (obstacle) return;
    const override = windowOverrideField(closed, form.mode, windowReason);
    const body = { ...toRerunRequest(run, form, freeze), ...override, ...more };
    rerun.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: ({ id }) => void navigate({ to: '/executions/$id', params: { id } }),
        onError: (error) => {
          attempt.refused(error);
          if (toProblem(error).code === 'collection_frozen') void refreshFreezes(client);
        },
      },
    );
  };
  const problem = rerun.error ? toProblem(rerun.error) : null;
  return (
    <FormModal opened onClose={onClose} closeOnClickOutside={false} title={TITLES[which]}>
      <Stack gap="md">
        <Select
          label="From step"
          description="Earlier steps are not rerun. Their results are kept."
          data={[
            { value: '', label: which === 'unfinished' ? 'First unfinished step of each host' : 'First step' },
            ...run.steps.slice(which === 'unfinished' ? 0 : 1).map(({ key, name }) => ({ value: key, label: name })),
          ]}
          value={form.fromStepKey ?? ''}
          onChange={(fromStepKey) => set({ fromStepKey: fromStepKey || null, acceptGaps: false })}
          allowDeselect={false}
        />
        <Radio.Group
          label="Content"
          value={form.snapshot}
          onChange={(snapshot) => set({ snapshot, acceptGaps: false })}
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
          data={MODES.map((mode) => ({ value: mode, label: MODE_NAMES[mode] }))}
          value={form.mode}
          onChange={(mode) => mode && set({ mode })}
          allowDeselect={false}
        />
        <Textarea
          label="Note"
          description="Reason for the run, shown in lists."
          value={form.note}
          onChange={(event) => set({ note: event.currentTarget.value })}
          autosize
          minRows={1}
          maxRows={4}
          maxLength={2000}
        />
        {preview.data && (
          <RerunEffects
            preview={preview.data}
            acceptGaps={form.acceptGaps}
            onAcceptGaps={(acceptGaps) => set({ acceptGaps })}
          />
        )}
        {freeze && form.mode !== 'dry_run' && (
          <FreezeOverride freeze={freeze} override={form.override} onChange={(override) => set({ override })} />
        )}
        {closed && form.mode !== 'dry_run' && (
          <WindowOverride closed={closed} override={windowReason} onChange={setWindowReason} />
        )}
        {preview.error && !problem && <ErrorPanel error={preview.error} />}
        {problem?.code === 'run_overlap' ? (
          <OverlapNotice problem={problem} pending={rerun.isPending} onQueue={() => submit({ onOverlap: 'queue' })} />
        ) : problem && problem.authors.length > 0 ? (
          <AuthorsNotice
            problem={problem}
            pending={rerun.isPending}
            onAccept={(acceptAuthors) => submit({ acceptAuthors })}
          />
        ) : (
          problem && <ErrorPanel error={problem} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={rerun.isPending}>
            Cancel
          </Button>
          <Can role="operator" unless={obstacle}>
            <Button
              loading={rerun.isPending}
              // The user must see the preview before the start.
              disabled={!preview.data || (preview.data.missing.length > 0 && !form.acceptGaps)}
              onClick={() => submit()}
            >
              Rerun
            </Button>
          </Can>
        </Group>
      </Stack>
    </FormModal>
  );
}
