import { Alert, Button, Checkbox, Group, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { CopyButton } from './CopyButton';
import { saveFile } from './save-file';

interface Props {
  /** Kind of secret, such as "private key". */
  what: string;
  value: string;
  /** Name of the downloaded file; absent = no download. */
  fileName?: string;
  children?: ReactNode;
  onDone: () => void;
}

/** Shows a secret once. Closes only after the user confirms that the secret is saved. */
export function SecretOnce({ what, value, fileName, children, onDone }: Props) {
  const [saved, setSaved] = useState(false);
  return (
    <Stack gap="md">
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={`Save the ${what} now`}>
        Runward shows it only once.
      </Alert>
      <pre className="rw-secret" tabIndex={0} aria-label={what}>
        {value}
      </pre>
      <Group gap="xs">
        <CopyButton value={value} what={what}>{`Copy ${what}`}</CopyButton>
        {fileName && (
          <Button variant="default" onClick={() => saveFile(fileName, value)}>
            Download
          </Button>
        )}
      </Group>
      {children}
      <Checkbox
        checked={saved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
        label={`I saved the ${what}`}
      />
      <Group justify="flex-end">
        <Button disabled={!saved} onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
