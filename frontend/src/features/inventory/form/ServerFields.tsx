import { Group, NumberInput, Select, Switch, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { keyChoicesQuery } from '../../../api/queries/inventory/keys';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { JumpServerSelect } from './JumpServerSelect';
import type { ServerForm } from './server-form';

const MONO = { input: 'rw-mono-small' };

interface Props {
  form: UseFormReturnType<ServerForm>;
  /** Null: a new server. */
  id: string | null;
  /** Why address, port, jump server and environment are read-only; null: they are editable. */
  hostObstacle?: string | null;
}

export function ServerFields({ form, id, hostObstacle = null }: Props) {
  const isNew = id === null;
  const fixed = hostObstacle !== null;
  const keys = useQuery(keyChoicesQuery);
  return (
    <>
      <TextInput label="Name" placeholder="web-1" withAsterisk data-autofocus {...form.getInputProps('name')} />
      <AddressFields form={form} isNew={isNew} hostObstacle={hostObstacle} />
      <TextInput
        label="User name"
        description="User that Runward signs in as."
        placeholder="deploy"
        withAsterisk
        {...form.getInputProps('username')}
      />
      <Select
        label="SSH key"
        withAsterisk
        allowDeselect={false}
        data={(keys.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        placeholder={keys.data?.items.length === 0 ? 'No keys yet. Create one under SSH keys.' : 'Choose an SSH key'}
        {...form.getInputProps('sshKeyId')}
      />
      <EnvironmentSelect
        label="Environment"
        withAsterisk
        placeholder="Choose an environment"
        disabled={fixed}
        {...form.getInputProps('environmentId')}
      />
      <JumpServerSelect
        own={id}
        label="Jump server"
        description="Empty: direct connection. A change removes the accepted host key."
        placeholder="None"
        disabled={fixed}
        {...form.getInputProps('jumpServerId')}
      />
      <TagsInput
        label="Tags"
        description="key=value, for selectors of plans. Press Enter after each tag."
        placeholder="role=web"
        acceptValueOnBlur
        {...form.getInputProps('tags')}
      />
      {isNew && (
        <Textarea
          label="Host key"
          description="Optional. A line of /etc/ssh/ssh_host_*_key.pub. If empty, the first check shows the key and you accept it then."
          placeholder="ssh-ed25519 AAAAC3…"
          autosize
          minRows={2}
          spellCheck={false}
          classNames={MONO}
          {...form.getInputProps('hostKey')}
        />
      )}
      <OptionFields form={form} />
    </>
  );
}

function AddressFields({
  form,
  isNew,
  hostObstacle,
}: Pick<Props, 'form'> & { isNew: boolean; hostObstacle: string | null }) {
  const fixed = hostObstacle !== null;
  return (
    <>
      {fixed && <Text c="dimmed">Address, port, jump server and environment: {hostObstacle}.</Text>}
      <Group gap="sm" align="flex-start" wrap="nowrap">
        <TextInput
          label="Address"
          placeholder="web-1.example.com"
          withAsterisk
          flex={1}
          disabled={fixed}
          description={isNew ? undefined : 'Changing address or port removes the accepted host key.'}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('hostname')}
        />
        <NumberInput
          label="Port"
          w={90}
          min={1}
          max={65535}
          allowDecimal={false}
          hideControls
          disabled={fixed}
          {...form.getInputProps('port')}
        />
      </Group>
    </>
  );
}

function OptionFields({ form }: Pick<Props, 'form'>) {
  return (
    <>
      <Switch
        label="Allow legacy SSH algorithms"
        description="Weaker algorithms for old SSH servers, such as ssh-rsa with SHA-1. Runward uses them only if the server supports no modern one."
        {...form.getInputProps('legacyAlgorithms', { type: 'checkbox' })}
      />
      <NumberInput
        label="Login timeout, in seconds"
        description="For servers with slow logins: 5 to 120. Empty: 20 in runs, 10 in checks, 15 in key rotations."
        placeholder="Default"
        min={5}
        max={120}
        clampBehavior="none"
        allowDecimal={false}
        allowNegative={false}
        {...form.getInputProps('loginTimeoutSeconds')}
      />
      <Switch label="Enabled (runs can use the server)" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </>
  );
}
