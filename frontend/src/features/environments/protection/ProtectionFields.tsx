import { Checkbox, NumberInput, SimpleGrid, Stack, Switch } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { RUN_MODES } from '../../../api/lists';
import type { RunMode } from '../../../api/types';
import { limit } from '../../../ui/format/format';
import { MODE_NAMES } from '../../../ui/runs/modes';
import type { ProtectionForm } from './protection-form';

const MINUTE_MS = 60_000;
const MAX_APPROVAL_MINUTES = 43_200;
const MAX_DELAY_HOURS = 720;
const MAX_CHECK_MINUTES = 10_080;

const MODE_HINTS: Record<RunMode, string> = {
  auto: 'Runs all steps without asking.',
  semi_assisted: 'Asks before marked steps and after hosts fail a step.',
  interactive: 'Asks before each step.',
  dry_run: 'Predicts results and changes nothing.',
};

interface Props {
  form: UseFormReturnType<ProtectionForm>;
}

export function ApprovalFields({ form }: Props) {
  return (
    <>
      <Switch
        label="Protected"
        description="Runs need approval before any host is touched."
        {...form.getInputProps('protected', { type: 'checkbox' })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <NumberInput
          label="Required approvals"
          description="From different members."
          min={1}
          max={100}
          allowDecimal={false}
          {...form.getInputProps('requiredApprovals')}
        />
        <NumberInput
          label="Approval timeout, in minutes"
          description={`A run expires without approval after ${limit(Number(form.values.approvalTtlMinutes) * MINUTE_MS)}.`}
          min={1}
          max={MAX_APPROVAL_MINUTES}
          {...form.getInputProps('approvalTtlMinutes')}
        />
      </SimpleGrid>
      <Switch
        label="Allow self-approval"
        description="If off, requesters and authors of changes since the last approved run cannot approve."
        {...form.getInputProps('allowSelfApproval', { type: 'checkbox' })}
      />
      <Switch
        label="Refuse git content of unknown authors"
        description="Refuses runs whose git commits have authors who are not members. If off, approvers see these authors."
        {...form.getInputProps('refuseUnknown', { type: 'checkbox' })}
      />
      <NumberInput
        label="Delay for changes that weaken the protection, in hours"
        description="Applies if there is no other approver. Otherwise another approver must agree."
        min={1}
        max={MAX_DELAY_HOURS}
        {...form.getInputProps('delayHours')}
      />
    </>
  );
}

/** Modes of runs, the journal on hosts and automatic checks. */
export function OperationFields({ form }: Props) {
  return (
    <>
      <Checkbox.Group label="Allowed modes" description="Empty: all modes." {...form.getInputProps('allowedModes')}>
        <Stack gap={8} mt={8}>
          {RUN_MODES.map((mode) => (
            <Checkbox key={mode} value={mode} label={MODE_NAMES[mode]} description={MODE_HINTS[mode]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Switch
        label="Keep a command journal on hosts"
        description="Stored in ~/.runward of the login user. Keeps results when a worker or connection fails. If off, lost results are unknown and must be verified on the host."
        {...form.getInputProps('hostJournal', { type: 'checkbox' })}
      />
      <NumberInput
        label="Interval of automatic checks, in minutes"
        description="Checks host key, login and facts of each enabled server. Empty: no automatic checks."
        placeholder="Never"
        min={1}
        max={MAX_CHECK_MINUTES}
        {...form.getInputProps('checkMinutes')}
      />
    </>
  );
}
