import { Button, Group, Stack, Text } from '@mantine/core';
import { DialogBar } from '../../../ui/dialogs/DialogBar';
import { IconLock, IconPlayerPlay } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { CopyAs } from '../../../ui/copy/CopyAs';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { StartOverrides } from '../../../ui/runs/StartOverrides';
import { ConfirmEnvironment } from './ConfirmEnvironment';
import { EnvironmentExports } from './EnvironmentExports';
import { ModeField } from './ModeField';
import { StartDetails } from './StartDetails';
import { StartPreview } from './StartPreview';
import { StartRefusal } from './StartRefusal';
import { StartVariables } from './StartVariables';
import { type StartContent, type StartFormState, useStartForm } from './useStartForm';
import { WhenField } from './WhenField';
import type { Plan } from '../../../api/types';
import classes from './start.module.css';

interface Props extends StartContent {
  onClose: () => void;
}

export function StartForm({ onClose, ...content }: Props) {
  const { plan, exact } = content;
  const state = useStartForm(content);
  const { form, environment } = state;
  return (
    <form onSubmit={form.onSubmit(() => state.start())} noValidate>
      <Stack gap="md">
        {exact && (
          <Text>Starts exactly the content of the dry run. If it has changed since, the start is refused.</Text>
        )}
        <div className={classes.form}>
          <EnvironmentSelect
            label="Environment"
            withAsterisk
            data-autofocus
            disabled={exact}
            leftSection={environment?.protected ? <IconLock size={14} aria-label="Protected" /> : undefined}
            {...form.getInputProps('environmentId')}
          />
          <StartPreview plan={plan} values={form.values} resolved={state.resolved} />
          <StartFields state={state} plan={plan} exact={exact} />
        </div>
        <StartRefusal
          problem={state.problem}
          fieldErrors={Object.keys(form.errors).length}
          pending={state.pending}
          onQueue={() => state.start({ onOverlap: 'queue' })}
          onAccept={(acceptAuthors) => state.start({ acceptAuthors })}
        />
        <StartActions state={state} onClose={onClose} />
      </Stack>
    </form>
  );
}

function StartFields({ state, plan, exact }: { state: StartFormState; plan: Plan; exact: boolean }) {
  const { form, mode, environment } = state;
  return (
    <div className={classes.fields}>
      <ModeField value={mode} limits={state.modeLimits} onChange={(next) => form.setFieldValue('mode', next)} />
      <StartVariables form={form} variables={plan.variables} resolved={state.resolved} exact={exact} />
      <EnvironmentExports variables={state.resolved} />
      <StartDetails form={form} exact={exact} />
      {mode !== 'dry_run' && (
        <WhenField
          queue={form.values.queue}
          startAt={form.values.startAt}
          error={form.errors.startAt}
          onQueue={(queue) => form.setFieldValue('queue', queue)}
          onStartAt={(startAt) => form.setFieldValue('startAt', startAt)}
        />
      )}
      {environment?.protected && (
        <ConfirmEnvironment
          environment={environment}
          dryRun={mode === 'dry_run'}
          typed={state.typedName}
          onType={state.setTypedName}
        />
      )}
      <StartOverrides
        limits={state.limits}
        mode={mode}
        freezeReason={form.values.override}
        onFreezeReason={(reason) => form.setFieldValue('override', reason)}
      />
    </div>
  );
}

const startLabel = ({ mode, later }: Pick<StartFormState, 'mode' | 'later'>): string => {
  if (mode === 'dry_run') return 'Start dry run';
  return later ? 'Start later' : 'Start run';
};

function StartActions({ state, onClose }: { state: StartFormState; onClose: () => void }) {
  return (
    <DialogBar spread>
      <CopyAs recipes={state.recipes} />
      <Group gap="xs">
        <Button variant="default" onClick={onClose} disabled={state.pending}>
          Close
        </Button>
        <Can role="operator" environmentId={state.environment?.id} unless={state.obstacle}>
          <Button type="submit" loading={state.pending} leftSection={<IconPlayerPlay size={15} aria-hidden />}>
            {startLabel(state)}
          </Button>
        </Can>
      </Group>
    </DialogBar>
  );
}
