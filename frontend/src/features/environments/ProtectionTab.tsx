import {
  Alert,
  Button,
  Checkbox,
  Fieldset,
  Group,
  NumberInput,
  Paper,
  SimpleGrid,
  Stack,
  Switch,
  Text,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { IconGitMerge } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../access/Can';
import { useAccess } from '../../access/useAccess';
import type { ApiProblem } from '../../api/errors';
import { useUpdateEnvironment } from '../../api/queries/inventory/environments';
import type { Environment } from '../../api/types';
import { ConfirmHosts } from '../../ui/forms/ConfirmHosts';
import { FormErrors } from '../../ui/forms/FormErrors';
import { limit } from '../../ui/format/format';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { useLeaveGuard } from '../../ui/forms/useLeaveGuard';
import { ProtectedNotice } from '../../ui/environments/ProtectedNotice';
import { RUN_MODE_CHOICES } from './environment-labels';
import { DepartedServers } from './DepartedServers';
import { ProtectionChanges } from './ProtectionChanges';
import { ProtectionRequestDialog } from './ProtectionRequestDialog';
import { weakenedSettings } from './protection-text';

const SECONDS_PER_MINUTE = 60;
const HOUR = 3600;
const MAX_DELAY_HOURS = 720;
const MAX_MINUTES = 43_200;
/** Fields that have a different name in the form than on the server, because the form uses minutes. */
const FORM_FIELD_BY_PROPERTY: Record<string, string> = {
  approvalTtlSeconds: 'approvalTtlMinutes',
  unknownAuthors: 'refuseUnknown',
  checkIntervalSeconds: 'checkMinutes',
  protectionDelaySeconds: 'delayHours',
};
const MAX_CHECK_MINUTES = 10_080;

const formOf = (environment: Environment) => ({
  protected: environment.protected,
  requiredApprovals: environment.requiredApprovals,
  allowSelfApproval: environment.allowSelfApproval,
  approvalTtlMinutes: environment.approvalTtlSeconds / SECONDS_PER_MINUTE,
  refuseUnknown: environment.unknownAuthors === 'refuse',
  delayHours: environment.protectionDelaySeconds / HOUR,
  allowedModes: [...environment.allowedModes] as string[],
  hostJournal: environment.hostJournal,
  checkMinutes:
    environment.checkIntervalSeconds === null
      ? ('' as number | string)
      : environment.checkIntervalSeconds / SECONDS_PER_MINUTE,
});

type WeakenedSettings = NonNullable<ReturnType<typeof weakenedSettings>>;

export function ProtectionTab({ environment }: { environment: Environment }) {
  // Increased when a change of the settings was decided, to reset the form to the saved settings.
  const [formVersion, setFormVersion] = useState(0);
  return (
    <ProtectionForm key={formVersion} environment={environment} onDecided={() => setFormVersion(formVersion + 1)} />
  );
}

function ProtectionForm({ environment, onDecided }: { environment: Environment; onDecided: () => void }) {
  const { missing } = useAccess();
  const update = useUpdateEnvironment(environment.id);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [baseVersion, setBaseVersion] = useState(environment);
  const form = useForm({ initialValues: formOf(environment) });
  const { values } = form;
  const notAdmin = missing('admin');
  const [weakenedChanges, setWeakenedChanges] = useState<WeakenedSettings | null>(null);
  const save = (
    { approvalTtlMinutes, allowedModes, checkMinutes, delayHours, refuseUnknown, ...rest }: typeof values,
    confirmHosts?: true,
  ) => {
    setProblem(null);
    const protectionDelaySeconds = Math.round(Number(delayHours) * HOUR);
    const unknownAuthors = refuseUnknown ? ('refuse' as const) : ('show' as const);
    const weaker = weakenedSettings(environment, {
      ...rest,
      requiredApprovals: Number(rest.requiredApprovals),
      unknownAuthors,
      protectionDelaySeconds,
    });
    // Requests changes that weaken the protection; saves other changes immediately.
    const kept = Object.fromEntries(Object.keys(weaker ?? {}).map((setting) => [setting, undefined]));
    const body = {
      ...rest,
      protectionDelaySeconds,
      unknownAuthors,
      ...kept,
      confirmHosts,
      approvalTtlSeconds: Math.round(Number(approvalTtlMinutes) * SECONDS_PER_MINUTE),
      checkIntervalSeconds: checkMinutes === '' ? null : Math.round(Number(checkMinutes) * SECONDS_PER_MINUTE),
      allowedModes: allowedModes as Environment['allowedModes'],
    };
    update.mutate(
      { version: baseVersion.version, body },
      {
        onSuccess: (saved) => {
          setBaseVersion(saved);
          if (weaker) setWeakenedChanges(weaker);
          else notifications.show({ message: 'Protection saved.' });
        },
        onError: (error) => {
          const left = showErrorOnForm(
            { setErrors: (errors) => form.setErrors(renamed(errors)) },
            error,
            (path) => path in body,
          );
          setProblem(left);
        },
      },
    );
  };
  const isEdited = !isSameForm(values, formOf(baseVersion));
  useLeaveGuard(isEdited);
  const submit = form.onSubmit((given) => save(given));
  const continueWith = (next: typeof values) => {
    form.setValues(next);
    setBaseVersion(environment);
    setProblem(null);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw={640}>
        <ProtectionChanges environment={environment} />
        <DepartedServers environment={environment} />
        {weakenedChanges && (
          <ProtectionRequestDialog
            environment={environment}
            settings={weakenedChanges}
            onDone={(overridden) => {
              setWeakenedChanges(null);
              onDecided();
              notifications.show({
                message: overridden ? 'Protection changed by an emergency override.' : 'Change requested.',
              });
            }}
            onClose={() => setWeakenedChanges(null)}
          />
        )}
        {environment.protected && <ProtectedNotice policy={environment} />}
        {notAdmin && <Text c="dimmed">{notAdmin} to change these.</Text>}
        <Paper p="md">
          <Fieldset variant="unstyled" disabled={notAdmin !== null}>
            <Stack gap="md">
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
                  description={`A run expires without approval after ${limit(Number(values.approvalTtlMinutes) * SECONDS_PER_MINUTE * 1000)}.`}
                  min={1}
                  max={MAX_MINUTES}
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
              <Checkbox.Group
                label="Allowed modes"
                description="Empty: all modes."
                {...form.getInputProps('allowedModes')}
              >
                <Stack gap={8} mt={8}>
                  {RUN_MODE_CHOICES.map(({ value, label, description }) => (
                    <Checkbox key={value} value={value} label={label} description={description} />
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
            </Stack>
          </Fieldset>
        </Paper>
        {problem?.status === 412 && environment.version !== baseVersion.version ? (
          <Alert
            color="yellow"
            role="alert"
            icon={<IconGitMerge aria-hidden />}
            title="Someone else changed the protection"
          >
            <Stack gap="xs" align="flex-start">
              <Text>Not saved. Your edits are still in the form.</Text>
              <Group gap="xs">
                <Button variant="default" onClick={() => continueWith(values)}>
                  Keep my edits
                </Button>
                <Button variant="default" onClick={() => continueWith(formOf(environment))}>
                  Load current protection and discard my edits
                </Button>
              </Group>
            </Stack>
          </Alert>
        ) : (
          <FormErrors problem={problem} />
        )}
        <ConfirmHosts problem={problem} pending={update.isPending} onConfirm={() => save(values, true)} />
        <Group justify="flex-end">
          {isEdited && <Text c="dimmed">Not saved yet.</Text>}
          <Can role="admin">
            <Button type="submit" loading={update.isPending}>
              Save protection
            </Button>
          </Can>
        </Group>
      </Stack>
    </form>
  );
}

const isSameForm = (one: ReturnType<typeof formOf>, other: ReturnType<typeof formOf>): boolean =>
  JSON.stringify({ ...one, allowedModes: [...one.allowedModes].sort() }) ===
  JSON.stringify({ ...other, allowedModes: [...other.allowedModes].sort() });

const renamed = (errors: Record<string, string>) =>
  Object.fromEntries(Object.entries(errors).map(([path, message]) => [FORM_FIELD_BY_PROPERTY[path] ?? path, message]));
