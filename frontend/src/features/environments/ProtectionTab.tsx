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
import { showOnForm } from '../../ui/forms/form-errors';
import { ProtectedNotice } from '../../ui/environments/ProtectedNotice';
import { RUN_MODE_CHOICES } from './environment-labels';
import { DepartedServers } from './DepartedServers';
import { ProtectionChanges } from './ProtectionChanges';
import { ProtectionRequestDialog } from './ProtectionRequestDialog';
import { weakenedSettings } from './protection-text';

const MINUTE = 60;
const HOUR = 3600;
const MAX_DELAY_HOURS = 720;
const MAX_MINUTES = 43_200;
/** Form fields that have another name than the server's, because they use minutes. */
const FIELD_OF: Record<string, string> = {
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
  approvalTtlMinutes: environment.approvalTtlSeconds / MINUTE,
  refuseUnknown: environment.unknownAuthors === 'refuse',
  delayHours: environment.protectionDelaySeconds / HOUR,
  allowedModes: [...environment.allowedModes] as string[],
  hostJournal: environment.hostJournal,
  checkMinutes:
    environment.checkIntervalSeconds === null ? ('' as number | string) : environment.checkIntervalSeconds / MINUTE,
});

type Weakened = NonNullable<ReturnType<typeof weakenedSettings>>;

export function ProtectionTab({ environment }: { environment: Environment }) {
  const { missing } = useAccess();
  const update = useUpdateEnvironment(environment.id);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [base, setBase] = useState(environment);
  const form = useForm({ initialValues: formOf(environment) });
  const { values } = form;
  const notAdmin = missing('admin');
  const [weakened, setWeakened] = useState<Weakened | null>(null);
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
    // What weakens the protection is requested; the rest is saved at once.
    const kept = Object.fromEntries(Object.keys(weaker ?? {}).map((setting) => [setting, undefined]));
    const body = {
      ...rest,
      protectionDelaySeconds,
      unknownAuthors,
      ...kept,
      confirmHosts,
      approvalTtlSeconds: Math.round(Number(approvalTtlMinutes) * MINUTE),
      checkIntervalSeconds: checkMinutes === '' ? null : Math.round(Number(checkMinutes) * MINUTE),
      allowedModes: allowedModes as Environment['allowedModes'],
    };
    update.mutate(
      { version: base.version, body },
      {
        onSuccess: (saved) => {
          setBase(saved);
          if (weaker) setWeakened(weaker);
          else notifications.show({ message: 'The protection is saved.' });
        },
        onError: (error) => {
          const left = showOnForm(
            { setErrors: (errors) => form.setErrors(renamed(errors)) },
            error,
            (path) => path in body,
          );
          setProblem(left);
        },
      },
    );
  };
  const submit = form.onSubmit((given) => save(given));
  const goOn = (next: typeof values) => {
    form.setValues(next);
    setBase(environment);
    setProblem(null);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw={640}>
        <ProtectionChanges environment={environment} />
        <DepartedServers environment={environment} />
        {weakened && (
          <ProtectionRequestDialog
            environment={environment}
            settings={weakened}
            onDone={() => {
              setWeakened(null);
              form.setValues(formOf(base));
              notifications.show({ message: 'The change is requested, or in effect if it was an emergency.' });
            }}
            onClose={() => setWeakened(null)}
          />
        )}
        {values.protected && (
          <ProtectedNotice
            policy={{
              name: environment.name,
              requiredApprovals: Number(values.requiredApprovals),
              allowSelfApproval: values.allowSelfApproval,
              approvalTtlSeconds: Math.round(Number(values.approvalTtlMinutes) * MINUTE),
            }}
          />
        )}
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
                  label="Approvals needed"
                  description="From different members."
                  min={1}
                  max={100}
                  allowDecimal={false}
                  {...form.getInputProps('requiredApprovals')}
                />
                <NumberInput
                  label="Waits at most, in minutes"
                  description={`Then the run expires: ${limit(Number(values.approvalTtlMinutes) * MINUTE * 1000)}.`}
                  min={1}
                  max={MAX_MINUTES}
                  {...form.getInputProps('approvalTtlMinutes')}
                />
              </SimpleGrid>
              <Switch
                label="Who starts a run may approve it"
                description="Off: neither who starts it nor who changed what it reads since the last approved run may approve it."
                {...form.getInputProps('allowSelfApproval', { type: 'checkbox' })}
              />
              <Switch
                label="Refuse git content of unknown authors"
                description="Runs do not start when commits of their git content name people who are no members here. Off: the evidence of an approval shows them."
                {...form.getInputProps('refuseUnknown', { type: 'checkbox' })}
              />
              <NumberInput
                label="Delay of changes that weaken the protection, in hours"
                description="Where no other approver can agree. With another approver they need that person."
                min={1}
                max={MAX_DELAY_HOURS}
                {...form.getInputProps('delayHours')}
              />
              <Checkbox.Group
                label="Modes that may be used here"
                description="None chosen: all of them."
                {...form.getInputProps('allowedModes')}
              >
                <Stack gap={8} mt={8}>
                  {RUN_MODE_CHOICES.map(({ value, label, description }) => (
                    <Checkbox key={value} value={value} label={label} description={description} />
                  ))}
                </Stack>
              </Checkbox.Group>
              <Switch
                label="Hosts keep a journal of running commands"
                description="In ~/.runward of the login user, so that a command is never lost with a worker or connection. Off: what is lost is unknown, and somebody has to look on the host."
                {...form.getInputProps('hostJournal', { type: 'checkbox' })}
              />
              <NumberInput
                label="Check servers by themselves, every so many minutes"
                description="Host key, login and facts of each enabled server. Empty: only runs and people find out what state they are in."
                placeholder="Never"
                min={1}
                max={MAX_CHECK_MINUTES}
                {...form.getInputProps('checkMinutes')}
              />
            </Stack>
          </Fieldset>
        </Paper>
        {problem?.status === 412 && environment.version !== base.version ? (
          <Alert color="yellow" role="alert" icon={<IconGitMerge aria-hidden />} title="Somebody changed it meanwhile">
            <Stack gap="xs" align="flex-start">
              <Text>Nothing was saved. Yours is still in the form.</Text>
              <Group gap="xs">
                <Button variant="default" onClick={() => goOn(values)}>
                  Go on with mine
                </Button>
                <Button variant="default" onClick={() => goOn(formOf(environment))}>
                  Load theirs, drop mine
                </Button>
              </Group>
            </Stack>
          </Alert>
        ) : (
          <FormErrors problem={problem} />
        )}
        <ConfirmHosts problem={problem} pending={update.isPending} onConfirm={() => save(values, true)} />
        <Group justify="flex-end">
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

const renamed = (errors: Record<string, string>) =>
  Object.fromEntries(Object.entries(errors).map(([path, message]) => [FIELD_OF[path] ?? path, message]));
