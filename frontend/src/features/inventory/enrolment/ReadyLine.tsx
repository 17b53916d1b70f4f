import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { CreatedEnrolment } from '../../../api/types';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { AnchorLink } from '../../../ui/page/links';
import { EnrolmentProgress } from './EnrolmentProgress';
import { cloudConfig } from './ready-texts';

const FORMS = [
  { value: 'shell', label: 'Shell' },
  { value: 'cloud-init', label: 'cloud-init' },
];

export function ReadyLine({
  created,
  onDone,
}: {
  created: CreatedEnrolment & { command: string };
  onDone: () => void;
}) {
  const [form, setForm] = useState('shell');
  const shell = form === 'shell';
  const text = shell ? created.command : cloudConfig(created);
  const what = shell ? 'command' : 'cloud-init user data';
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Copy the command now">
        It contains a token for one host and is shown only once.
      </Alert>
      <SegmentedControl aria-label="Format" data={FORMS} value={form} onChange={setForm} />
      <Text>
        {shell
          ? `Run it on the host as root, or as ${created.username}. It needs curl or wget.`
          : `Start the machine with it as user data. Anyone who can read the user data can read the token.`}
      </Text>
      <pre className="rw-secret" tabIndex={0} aria-label={what}>
        {text}
      </pre>
      <Group gap="xs">
        <CopyButton value={text} what={what}>
          {shell ? 'Copy command' : 'Copy user data'}
        </CopyButton>
      </Group>
      <EnrolmentProgress created={created} />
      <Group justify="space-between" gap="xs">
        <AnchorLink to="/servers/enrolments" size="sm">
          Show all enrolments
        </AnchorLink>
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  );
}
