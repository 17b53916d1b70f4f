import { Button, Stack } from '@mantine/core';
import { DialogBar } from '../../../ui/dialogs/DialogBar';
import { Can } from '../../../access/Can';
import type { Execution, RerunHosts } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { StartOverrides } from '../../../ui/runs/StartOverrides';
import { AuthorsNotice } from '../conflicts/AuthorsNotice';
import { OverlapNotice } from '../conflicts/OverlapNotice';
import { RerunEffects } from './RerunEffects';
import { RerunFields } from './RerunFields';
import { type RerunFormState, useRerunForm } from './useRerunForm';

interface Props {
  run: Execution;
  which: RerunHosts;
  /** IDs of the only servers of the rerun; absent = all of `which`. */
  serverIds?: string[];
  onClose: () => void;
}

const TITLES: Record<RerunHosts, string> = {
  all: 'Rerun on all hosts',
  failed: 'Rerun on failed hosts',
  unfinished: 'Rerun unfinished steps',
};

export function RerunDialog({ run, which, serverIds, onClose }: Props) {
  const state = useRerunForm(run, which, serverIds);
  const { form, set, preview, limits, pending } = state;
  return (
    <FormModal
      opened
      onClose={onClose}
      closeOnClickOutside={false}
      title={serverIds ? `Rerun on ${plural(serverIds.length, 'host')}` : TITLES[which]}
    >
      <Stack gap="md">
        <RerunFields run={run} form={form} onChange={set} />
        {preview.data && (
          <RerunEffects
            preview={preview.data}
            acceptGaps={form.acceptGaps}
            onAcceptGaps={(acceptGaps) => set({ acceptGaps })}
          />
        )}
        <StartOverrides
          limits={limits}
          mode={form.mode}
          freezeReason={form.override}
          onFreezeReason={(override) => set({ override })}
        />
        {preview.error && !state.problem && <ErrorPanel error={preview.error} />}
        <RerunRefusal {...state} />
        <DialogBar>
          <Button variant="default" onClick={onClose} disabled={pending}>
            Cancel
          </Button>
          <Can role="operator" unless={limits.obstacle}>
            <Button loading={pending} disabled={!state.isReady} onClick={() => state.start()}>
              Rerun
            </Button>
          </Can>
        </DialogBar>
      </Stack>
    </FormModal>
  );
}

function RerunRefusal({ problem, pending, start }: Pick<RerunFormState, 'problem' | 'pending' | 'start'>) {
  if (problem === null) return null;
  if (problem.code === 'run_overlap')
    return <OverlapNotice problem={problem} pending={pending} onQueue={() => start({ onOverlap: 'queue' })} />;
  if (problem.authors.length > 0)
    return <AuthorsNotice problem={problem} pending={pending} onAccept={(acceptAuthors) => start({ acceptAuthors })} />;
  return <ErrorPanel error={problem} />;
}
