import { Text } from '@mantine/core';
import { SecretOnce } from '../../ui/copy/SecretOnce';

interface Props {
  /** Path of the page, with the secret in its fragment. */
  path: string;
  memberName: string;
  onDone: () => void;
}

/** Shows a one-time link once, as the full address. */
export function PasswordLink({ path, memberName, onDone }: Props) {
  return (
    <SecretOnce what="link" value={new URL(path, window.location.origin).href} onDone={onDone}>
      <Text>
        Send this link to {memberName} over a private channel: anyone who has it can set the password. It works once and
        expires after 72 hours. If it is lost, create a new one.
      </Text>
    </SecretOnce>
  );
}
